"""Renew the library that the web page carries with it, and its licence.

python scripts/vendor.py            the newest release
python scripts/vendor.py 18.2.1     this one

Needs npm, which fetches and checks the package.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PLACE = Path(__file__).resolve().parent.parent / "src" / "fanshu" / "serve" / "page" / "vendor"
NAME = "marked"
FILES = {"package/lib/marked.esm.js": "marked.js", "package/LICENSE": "marked.LICENSE"}


def main() -> int:
    version = sys.argv[1] if len(sys.argv) > 1 else "latest"
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--json", "--ignore-scripts", f"{NAME}@{version}"]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        packed = json.loads(done.stdout)[0]
        with tarfile.open(Path(folder) / packed["filename"]) as archive:
            for inside, name in FILES.items():
                file = archive.extractfile(inside)
                assert file, inside
                text = file.read().decode("utf-8").replace("\r\n", "\n")
                (PLACE / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"{NAME} {packed['version']} → {PLACE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
