"""Zipped packages of XML, which Word, PowerPoint and e-books are: parts, relations, limits.

Files come from anywhere, so nothing in them is believed: sizes are limited before anything
is unpacked, a DOCTYPE that defines anything (the door of entity bombs; no office program
writes one) is refused, and parts that are missing or broken give nothing instead of an error.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from fanshu.types import Document, FileState

MAX_PART_BYTES = 256 << 20  # unpacked; a part of more has never been text that somebody reads
MAX_TOTAL_BYTES = 1 << 30  # unpacked, media included
MAX_RATIO = 200  # unpacked to packed; office XML seldom reaches 60
RATIO_FROM_BYTES = 16 << 20  # a part below this harms nobody, whatever its ratio
MAX_PARTS = 20_000
_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# The "strict" variant of the formats differs in nothing but the names of its namespaces.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_HARMLESS = re.compile(rb"<!DOCTYPE[^\[\]<>]*>")  # it only names a schema, as e-books do
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"


class Unreadable(Exception):
    """A file that gives no document; `state` and `reason` say why."""

    def __init__(self, state: FileState, reason: str) -> None:
        super().__init__(reason)
        self.state = state
        self.reason = reason

    def document(self) -> Document:
        """The document without text that stands for the file."""
        return Document("", (), state=self.state, reason=self.reason, first_line=None)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part says of another: the last word of its type, and its name or address."""

    kind: str
    target: str
    external: bool = False


class _Builder(ET.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        del name, pubid, system
        raise Unreadable("failed", "refused: the file holds a DOCTYPE")


def parse_xml(data: bytes) -> ET.Element:
    """The root of an XML text. Raises: Unreadable."""
    data = _HARMLESS.sub(b"", data, count=1)
    parser = ET.XMLParser(target=_Builder())  # noqa: S314 - no DOCTYPE, so no entities
    try:
        parser.feed(data)
        return parser.close()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise Unreadable("failed", f"corrupt: {error}") from error


class Package:
    """The parts of a zipped file, by name; `/` separates folders and case does not matter.

    Raises: Unreadable, when it is no zip, or one that would not fit.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Unreadable("failed", f"corrupt: {error}") from error
        entries = self._zip.infolist()
        _check_sizes(entries)
        self._entries = {_normal(entry.filename): entry for entry in entries}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, as written but with `/`."""
        return tuple(entry.filename.replace("\\", "/") for entry in self._entries.values())

    @property
    def xml_bytes(self) -> int:
        """How much XML there is to read, unpacked."""
        kinds = (".xml", ".rels", ".html", ".xhtml", ".htm")
        return sum(e.file_size for name, e in self._entries.items() if name.endswith(kinds))

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None when it is missing. Raises: Unreadable."""
        entry = self._entries.get(_normal(name))
        if entry is None:
            return None
        if entry.flag_bits & 1:
            raise Unreadable("encrypted", "encrypted")
        try:
            return self._zip.read(entry)
        except Exception as error:  # zipfile lets its codecs' errors through, of any kind
            raise Unreadable("failed", f"corrupt: {entry.filename}: {error}"[:200]) from error

    def xml(self, name: str) -> ET.Element | None:
        """The root of a part, namespaces as in the transitional formats; None when missing.

        Raises: Unreadable.
        """
        data = self.read(name)
        return None if data is None else parse_xml(_STRICT.sub(_TRANSITIONAL, data))

    def side(self, name: str | None) -> ET.Element | None:
        """The same for a part that can be done without: a broken one counts as missing."""
        try:
            return self.xml(name) if name else None
        except Unreadable:
            return None

    def relations(self, part: str) -> Mapping[str, Relation]:
        """What a part (empty: the package) refers to, by id."""
        folder, base = posixpath.split(part)
        root = self.side(posixpath.join(folder, "_rels", f"{base}.rels"))
        found = root.iter(_RELATIONS) if root is not None else ()
        return {item.get("Id", ""): _relation(folder, item) for item in found}

    def related(self, part: str, kind: str) -> str | None:
        """The name of the first part of this kind that a part refers to."""
        relations = self.relations(part).values()
        return next((one.target for one in relations if one.kind == kind), None)


def _relation(folder: str, item: ET.Element) -> Relation:
    kind = item.get("Type", "").rpartition("/")[2]
    target = item.get("Target", "")
    if item.get("TargetMode") == "External":
        return Relation(kind, target, external=True)
    target = unquote(target.replace("\\", "/"))
    path = target if target.startswith("/") else posixpath.join(folder, target)
    return Relation(kind, posixpath.normpath(path).lstrip("/"))


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _check_sizes(entries: list[zipfile.ZipInfo]) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_PARTS or total > MAX_TOTAL_BYTES:
        raise Unreadable("failed", f"refused: unpacks to {total >> 20} MB in {len(entries)} parts")
    for entry in entries:
        size, packed = entry.file_size, max(entry.compress_size, 1)
        bomb = size > RATIO_FROM_BYTES and size > MAX_RATIO * packed
        if bomb or size > MAX_PART_BYTES:
            raise Unreadable(
                "failed", f"refused: {entry.filename} unpacks to {size >> 20} MB"[:200]
            )


def core_properties(package: Package) -> dict[str, str]:
    """Title, creator, created, modified: as the file's core properties give them."""
    root = package.side(package.related("", "core-properties") or "docProps/core.xml")
    if root is None:
        return {}
    found = {item.tag.rpartition("}")[2]: (item.text or "").strip() for item in root}
    wanted = ("title", "creator", "created", "modified")
    return {name: found[name] for name in wanted if found.get(name)}
