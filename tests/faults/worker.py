"""Another process that indexes: `python -m tests.faults.worker ADDRESS DOCS LEASE`.

`LEASE`: seconds after which its roots are free when nothing is heard of it.
"""

import sys

from fanshu import app
from fanshu.errors import FanshuError
from fanshu.settings import Settings
from tests.faults.shelf import STORED


def main() -> None:
    address, docs, lease = sys.argv[1:]
    library = app.open_library(Settings(store=address, docs=(docs,), **STORED))
    assert library.registry
    library.registry._lease = float(lease)
    try:
        library.sync()
    except FanshuError as error:
        sys.exit(str(error))
    finally:
        library.close()


if __name__ == "__main__":
    main()
