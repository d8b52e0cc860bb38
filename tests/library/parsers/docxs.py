"""Word files for tests, written part by part."""

import io
import zipfile

NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/>'
    '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/><w:basedOn w:val="a"/>'
    '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="a3"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>'
)


def p(text: str = "", style: str = "", properties: str = "", run: str = "") -> str:
    """A paragraph of one run; `run` are the run's properties."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{r(text, run)}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def numbered(text: str, list_id: int = 1, level: int = 0) -> str:
    numbers = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return p(text, properties=numbers)


def level(at: int, form: str, pattern: str, more: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


def lists(*definitions: str, more: str = "") -> str:
    """numbering.xml: definition n is list n."""
    made = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{one}</w:abstractNum>'
        for at, one in enumerate(definitions, 1)
    )
    numbers = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>'
        for at in range(1, len(definitions) + 1)
    )
    return f"{made}{numbers}{more}"


def table(*rows: list[str]) -> str:
    """A table of rows of cells; a cell beginning with `<` is XML."""
    body = "".join(f"<w:tr>{''.join(map(_cell, row))}</w:tr>" for row in rows)
    return f"<w:tbl>{body}</w:tbl>"


def _cell(cell: str) -> str:
    return f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>"


def docx(
    body: str,
    *,
    numbering: str = "",
    styles: str = STYLES,
    core: str = "",
    notes: str = "",
    parts: dict[str, bytes] | None = None,
    relations: str = "",
) -> bytes:
    """A Word file; `numbering`, `styles`, `notes` are what is inside the root of those parts."""
    inner = {
        "document": f"<w:body>{body}</w:body>",
        "styles": styles,
        "numbering": numbering,
        "footnotes": notes,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _content_types())
        archive.writestr("_rels/.rels", _relations(("d", "officeDocument", "word/document.xml")))
        archive.writestr("docProps/core.xml", _core(core))
        given = [(name, name, f"{name}.xml") for name in list(inner)[1:] if inner[name]]
        archive.writestr("word/_rels/document.xml.rels", _relations(*given, more=relations))
        for name, xml in inner.items():
            if xml:
                archive.writestr(f"word/{name}.xml", f"<w:{name} {NAMES}>{xml}</w:{name}>")
        for name, data in (parts or {}).items():
            archive.writestr(name, data)
    return out.getvalue()


def relation(name: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{name}" Type="{_TYPE}/{kind}" Target="{target}"/>'


def _content_types() -> str:
    names = "http://schemas.openxmlformats.org/package/2006/content-types"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    parts = {"document": "document.main", "styles": "styles", "numbering": "numbering"}
    inner = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{kind}.{one}+xml"/>'
        for name, one in parts.items()
    )
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    default = f'<Default Extension="rels" ContentType="{relations}"/>'
    return f'<Types xmlns="{names}">{default}<Default Extension="xml" ContentType="application/xml"/>{inner}</Types>'


def _relations(*items: tuple[str, str, str], more: str = "") -> str:
    names = "http://schemas.openxmlformats.org/package/2006/relationships"
    inner = "".join(relation(*item) for item in items)
    return f'<Relationships xmlns="{names}">{inner}{more}</Relationships>'


def _core(inner: str) -> str:
    return (
        '<cp:coreProperties xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms='
        '"http://purl.org/dc/terms/" xmlns:cp="http://schemas.openxmlformats.org/package/2006/'
        f'metadata/core-properties">{inner}</cp:coreProperties>'
    )
