"""The words that all rooms share. Frozen data, no behaviour beyond what reads it.

Conventions: paths are relative to their root, with `/` on every platform, and begin with
`NAME/` when the root is named. Lines and pages count from 1, both ends included. Offsets
count characters of the document text. `section_path` is the whole heading trail,
outermost first; empty for text before the first heading.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fnmatch import fnmatchcase
from typing import Literal

Lines = tuple[int, int]
Part = tuple[int, int]
FileState = Literal[
    "ok", "failed", "no_text", "partial_text", "ocr_pending", "encrypted", "skipped"
]
Level = Literal["phrase", "all", "some", "none"]
WordSource = Literal["synonyms", "documents"]
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents somebody may see: those that fit one of the `patterns` for paths.

    `*` crosses folders. No patterns: no documents.
    """

    patterns: tuple[str, ...] = ("*",)

    def allows(self, file_path: str) -> bool:
        """Whether the document `file_path` may be seen at all."""
        return any(fnmatchcase(file_path, pattern) for pattern in self.patterns)

    @property
    def everything(self) -> bool:
        """Whether nothing is held back, so that no filter is needed."""
        return "*" in self.patterns


EVERYTHING = Scope()


# ---------------------------------------------------------------- ① documents


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a parsed document: the text from its heading to the next heading.

    `start`, `end`: offsets in the document text, heading line included. Sections follow
    each other without gaps and cover the whole text. `trail`: the headings down to its own.
    `lines` are those of the source file (None where a line means nothing, as in PDF), `page` the
    physical page. `anchor`: what a link to the section names, where the format tells.
    """

    trail: tuple[str, ...]
    level: int
    start: int
    end: int
    lines: Lines | None = None
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of a document: the `offset` in the document text at which it stands.

    `alt`: the words in its place.
    `target` as written: a relative path, a URL, `!/` and the name of a part of the file
    itself, or `data:` and a media type for one that is written out in the page.
    """

    offset: int
    target: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser makes of one file: `sections` that cover the text, `images` within it.

    `text` is the document text: the decoded source for Markdown and plain text,
    without front matter; the extracted text for the rest. `first_line` is the source line
    on which `text` begins, None when offsets do not map to source lines. `pages` holds the
    offset at which each page begins; empty for formats without pages; `page_labels` what stands
    printed on them. `encoding`: that of the source. `state` and `reason`: whether it was read,
    and why not. `metadata`: what the file tells of itself, such as `date` and `version`.
    """

    text: str
    sections: tuple[Section, ...]
    title: str = ""
    encoding: str | None = None
    state: FileState = "ok"
    reason: str | None = None
    first_line: int | None = 1
    pages: tuple[int, ...] = ()
    page_labels: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document small enough to read at once: a section, or part i of n of it.

    `text` is an exact slice of the document text from offset `start`; the chunks of a file,
    joined, are that text. `hash` is that of the text. `date` is the document's own date
    (ISO), `newer_version` the path of a later member of the same family of documents.
    `images` are its pictures: a file by its path like a document's, one inside the file as
    `PATH!/PART`, a URL or whatever leads out of the root as written.
    `carried`: the header of the table, or the line that announces the list, in whose middle this
    part begins; it stands in an earlier part and is no part of `text`.
    """

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    level: int
    text: str
    lines: Lines | None
    page: int | None
    part: Part
    hash: str
    start: int = 0
    title: str = ""
    date: str | None = None
    newer_version: str | None = None
    images: tuple[str, ...] = ()
    carried: str = ""

    @property
    def number(self) -> int:
        """The position of the chunk in its file, from 1."""
        return int(self.chunk_id.rpartition("#")[2])


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A chunk in an outline: where it stands, its `size` in characters, its `beginning`."""

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    level: int
    lines: Lines | None
    page: int | None
    part: Part
    size: int
    beginning: str


@dataclass(frozen=True, slots=True)
class OtherWord:
    """A word that stands for one of the query's: `other` for `word`; `count` chunks hold it.

    `source`: the file of synonyms, or the documents themselves, which define it somewhere.
    """

    word: str
    other: str
    source: WordSource
    count: int = 0


@dataclass(frozen=True, slots=True)
class OutlinedFile:
    """A file in an outline: how many `chunks` and `characters` it holds."""

    file_path: str
    title: str
    chunks: int
    characters: int


@dataclass(frozen=True, slots=True)
class Outline:
    """`files`, and as `entries` the chunks of them that were asked for.

    `entries` None: there are too many, only files are told.
    """

    files: tuple[OutlinedFile, ...]
    entries: tuple[OutlineEntry, ...] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found.

    `snippet` is the one sentence, item or row that matches best; `text` the whole chunk.
    `complete`: the snippet is all there is to read in the chunk. `matched` are the words
    of the query that stand in it. `score` orders hits of one search and means nothing else.
    `images` are the targets of its pictures as written. `same`: chunks of other files with the
    same text but for a few words, which are no hits of their own. `second`: another passage,
    when words of weight stand far from the first. `via`: the other words by which alone it was
    found; empty when it holds the query's own.
    """

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    lines: Lines | None
    page: int | None
    snippet: str
    text: str
    score: float
    complete: bool
    hash: str = ""
    matched: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    second: str = ""
    via: tuple[OtherWord, ...] = ()


COUNTED = 20_000  # matches of a word or a query are counted so far; more is "more than 20,000"
TOO_MANY = f"more than {COUNTED:,} sections match: add a word"
TOO_SLOW = "the search was stopped, its time was up: add a word, or name a path"


@dataclass(frozen=True, slots=True)
class WordCount:
    """How many chunks hold `word`, in the scope searched: `count`, at most 20,001."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class FileCount:
    """A file and how many of its chunks match: `count`."""

    file_path: str
    count: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search for `query` found, its `hits`, and how well.

    `searched`: how many chunks were looked through.
    `level`: all words as phrases · all words somewhere · some of the words · none.
    `total`: chunks found at that level. Both are those of the query's own words: hits of level
    `none` were found by `others`, the other words that were tried. `missing`: whole words of
    the query that stand nowhere in the scope. `words`: for each weighty word, how many chunks
    hold it.
    Counts end at 20,001, which is to be read as more than 20,000 (`COUNTED`). `complete`: False
    when the time was up before everything was looked at; what was not found may be there.
    `suggestions`: words near the missing ones that do occur. `leads`: of a text that asks several
    questions, the best chunk for each that has a good one. `strong`: the best hit covers
    the weighty words of the query so well that its text is worth showing unasked.
    `path` is the filter as resolved, `elsewhere` the chunks outside it that match as well,
    `elsewhere_in` the files that hold most of them. `other_files`: those with most matches among
    the files without a hit, `files` how many files hold matches at all. `rest`: ids of chunks
    that match too, in the order of their file. `exhaustive`: hits, what is the same as they, and
    `rest` are all there is at this level. `as_of`: when documents that other machines index were
    last compared with their files (ISO, UTC); None: all were, just now, or a warning says that they
    never were.
    """

    query: str
    level: Level
    total: int
    hits: tuple[Hit, ...]
    other_files: tuple[FileCount, ...] = ()
    missing: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    others: tuple[OtherWord, ...] = ()
    words: tuple[WordCount, ...] = ()
    searched: int = 0
    path: str | None = None
    elsewhere: int = 0
    elsewhere_in: tuple[FileCount, ...] = ()
    files: int = 0
    rest: tuple[str, ...] = ()
    exhaustive: bool = False
    strong: bool = False
    leads: tuple[str, ...] = ()
    complete: bool = True
    warnings: tuple[str, ...] = ()
    as_of: str | None = None


SuggestionKind = Literal["near", "synonyms", "documents", "words", "title", "heading"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A search worth trying: `words` that occur, ready to be searched for.

    `kind`: what it is made of — a near word or another word in place of one, the question's own
    weightiest words, or a title or heading like the question with its words that stand there.
    `places`: chunks it finds. `source`: the word replaced, or the file the title belongs to.
    """

    words: str
    kind: SuggestionKind
    places: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Searches worth trying, `found`, the most promising first.

    `complete`: the time was enough to look everywhere; else there may be more, though none were
    found.
    """

    found: tuple[Suggestion, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file as the library has it.

    `state`: `ok`, or why it cannot be read whole, with the `reason`. `encoding` of its text, None
    for formats that carry their own. `chunks`: their number. `size` in bytes.
    """

    file_path: str
    state: FileState
    reason: str | None
    encoding: str | None
    chunks: int
    size: int
    title: str = ""
    date: str | None = None
    newer_version: str | None = None


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a comparison of the folder with the index did, in numbers of files.

    `parsed`: new and changed ones, read; `unchanged`; `removed`: gone from the folder; `renamed`:
    the same content under another path. `skipped` files were not opened; `failed` were, but
    cannot be read, and count as parsed. `behind`: files that differ from an index which may not
    be written. `busy`: another process was writing the index and nothing was compared.
    """

    parsed: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    skipped: int = 0
    failed: int = 0
    behind: int = 0
    busy: bool = False
    seconds: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether anything in the index is now different."""
        return bool(self.parsed or self.removed or self.renamed or self.skipped)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What OCR did: `pages` recognised, `failed` pages that could not be, in so many `files`.

    `trouble`: why it did not go on, though pages are waiting.
    """

    files: int = 0
    pages: int = 0
    failed: int = 0
    seconds: float = 0.0
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class RootStatus:
    """A root of a library that several machines fill, and who indexes it.

    `name`: what the paths of its documents begin with. `host` and `path`: where it lies.
    `compared`: when it was last compared with the library (ISO, UTC), None for never. `holder`:
    the process that is indexing it now, at least `until`; None: nobody.
    """

    name: str
    host: str
    path: str
    compared: str | None
    holder: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """The library as a whole: where it is, what it holds, and every file of the scope.

    `roots`: its folders. `index`: the file of the index, or the address of the store;
    `index_bytes` its size. `files`, `chunks` and `characters` are those of the scope. `synced`:
    when this process last compared the folders with the index (ISO, UTC); None: not yet.
    `as_of`: when the documents that other machines index were last compared, the oldest of those
    times; None: there are none, or none was yet. `shared`: all roots of the library, where several
    machines fill it.
    """

    roots: tuple[str, ...]
    index: str
    files: tuple[FileStatus, ...]
    chunks: int
    characters: int
    index_bytes: int
    synced: str | None = None
    as_of: str | None = None
    shared: tuple[RootStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class NameGroup:
    """So many `files` begin alike; `name` is a folder (`arch/`) or a beginning (`sql-*`)."""

    name: str
    files: int


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """A top-level folder, its `path`: how many `files`, and what they are about.

    `about`: its most telling titles; `groups`: the largest groups of its files, named from the
    folder on.
    """

    path: str
    files: int
    about: tuple[str, ...]
    groups: tuple[NameGroup, ...] = ()


# ---------------------------------------------------------------- ②③ the loop


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model wants done: the tool `name`, with `arguments`.

    `arguments` is None when they could not be understood; `raw` is what the model wrote. `id`
    tells calls of one reply apart.
    """

    id: str
    name: str
    arguments: Mapping[str, object] | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of a tool call: `data` for programs, `text` for a language model.

    `call_id` is the `id` of the call, `tool` the name that was called. `error`: the call could
    not be made, and `text` says why.
    """

    call_id: str
    tool: str
    text: str
    data: object = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """A `question` of a conversation and its `answer`. `places`: ids of the chunks it cites."""

    question: str
    answer: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first message of a run holds, as data.

    `search`: the one made ahead with the question's words, None when it is turned off. `read`:
    chunks whose whole text the message holds. `earlier`: the conversation before this question.
    """

    question: str
    search: SearchResult | None
    read: tuple[Chunk, ...]
    language: Language
    earlier: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request or of a run: `prompt` in, of which `cached`, and `completion` out.

    `cost` in US dollars where prices are known, else None.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            sum(costs) if costs else None,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One round, counted from 1 by `round`: the model's `text` and `calls`, and what came of them.

    `observations`: one for each call, in their order. `usage` and `seconds` are of this round.
    """

    round: int
    text: str
    calls: tuple[ToolCall, ...]
    observations: tuple[Observation, ...]
    usage: Usage
    seconds: float


# ---------------------------------------------------------------- ④ the answer

Status = Literal["answered", "partial", "passages", "not_found", "error"]
StopReason = Literal[
    "answered",
    "not_found",
    "max_rounds",
    "loop",
    "bad_calls",
    "budget",
    "deadline",
    "interrupted",
    "model_error",
]


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that an answer rests on.

    `quote` is what the model copied, `passage` the whole sentence, item or row around it,
    as they stand in the document. `verified`: `quoted` when the quote was found there,
    `located` when code found the place. `hash` is that of the chunk's text, `images` are its
    pictures (see `Chunk`).
    """

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    lines: Lines | None
    page: int | None
    quote: str
    passage: str
    verified: Literal["quoted", "located"]
    hash: str
    newer_version: str | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """A `figure` that stands in no document but follows, by `arithmetic`, from figures that do."""

    figure: str
    arithmetic: str


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A search of a run: its `keyword`, `path` filter, `level` and `total` as in `SearchResult`.

    `ahead`: made before the first round, with the question's words.
    """

    keyword: str
    path: str | None
    level: Level
    total: int
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """The nearest fact when the asked-for one was not found: `text`, and where it stands."""

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    text: str


ApprovalState = Literal["unchanged", "moved", "changed", "gone", "superseded", "contradicted"]


@dataclass(frozen=True, slots=True)
class Approval:
    """That somebody approved an answer: `by` whom, when (`at`, ISO form, UTC), under which `id`.

    `state`: how its evidence stands now. `unchanged` and `moved` ones are given; the rest wait
    for somebody to review them.
    """

    by: str
    at: str
    state: ApprovalState
    id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a run, the same object on every face.

    `status`: `answered` — every check passed; `partial` — something is missing or failed a
    check; `passages` — whole sentences shown without a model; `not_found`; `error`.
    `answer`: the text, or a sentence in its place when there is none. `citations`: the places it
    rests on, checked; `citations_rejected`: how many did not hold. `unsupported`: figures and
    claims that no quote bears out. `derived`: figures that follow by arithmetic. `related`: the
    nearest facts when not answered. `stop_reason`: why the run ended. `rounds`: requests to the
    model for decisions; `bounces`: answers that the check sent back. `usage`: tokens of the whole
    run. `searches`: those made, in order. `warnings`: what a reader should know, one sentence
    each. `note`: what may help whoever goes on from here. `trace_id`: of the trace, if one is
    kept. `cached`: answered before, and proven to still hold. `seconds` is wall time. `reader` is
    the model's name, or `extractive`. `unverified_text`: what no check supports, only on request.
    `error`: what went wrong with the model. `approved`: this is an answer that somebody approved,
    given again. `under_review`: there is one to this question whose evidence has changed; this is
    not it, but was found anew. `as_of`: when documents that other machines index were last
    compared with their files (ISO, UTC); None: all were, when it was asked, or a warning
    says that they never were.
    """

    question: str
    status: Status
    answer: str
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    related: tuple[Related, ...] = ()
    stop_reason: StopReason = "answered"
    rounds: int = 0
    bounces: int = 0
    citations_rejected: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    searches: tuple[SearchRecord, ...] = ()
    warnings: tuple[str, ...] = ()
    trace_id: str | None = None
    cached: bool = False
    reader: str = ""
    note: str = ""
    unverified_text: str | None = None
    error: str | None = None
    approved: Approval | None = None
    under_review: Approval | None = None
    as_of: str | None = None


def plain(value: object) -> object:
    """Any of these objects as what JSON knows: dicts, lists, strings, numbers, None."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)
