"""What workers over one store share: its records, and how the store is called where it is shown."""

from dataclasses import dataclass

from fanshu.cluster.records import Records


@dataclass(frozen=True, slots=True)
class Shared:
    """The records of a store. `place`: its address as it may be shown, without a password."""

    records: Records
    place: str
