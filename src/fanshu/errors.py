"""Every error that fanshu raises on purpose: what happened, to what, and what to do next.

    FanshuError
    ├── ConfigError              a setting is wrong
    │   └── QuestionsWrong       rows of a file of questions are no questions
    ├── LibraryError             something about the documents or their index
    │   ├── FolderMissing        the folder or file named by --docs does not exist
    │   ├── FolderUnreadable     it exists and cannot be opened
    │   ├── NoDocuments          the folder holds nothing that can be read
    │   ├── IndexUnwritable      the index cannot be written where it should live
    │   ├── IndexBusy            another process is writing the index
    │   │   └── RootBusy         another machine is indexing this root
    │   ├── RootElsewhere        another root of the library has this name
    │   ├── StoreError           something about a store on other machines
    │   │   ├── StoreUnreachable it does not answer
    │   │   ├── StoreRefused     it answers, and does not do what is asked
    │   │   ├── NoLibrary        it holds no library of that name
    │   │   └── TargetNotEmpty   a copy would overwrite what is there
    │   ├── UnknownPath          no document or folder of that name
    │   ├── UnknownChunk         no such chunk id
    │   └── ChunkChanged         the text behind a chunk id is not what it was
    ├── ModelError               the language model could not be used
    │   ├── ModelNotConfigured   a model is needed and none is named
    │   ├── ModelUnreachable     no connection
    │   ├── ModelUnauthorised    the key was refused
    │   │   └── ModelKeyMissing  a key is needed and none is set
    │   ├── ModelTimeout         no reply in time
    │   ├── ModelRateLimited     too many requests
    │   ├── ContextTooLong       the request is larger than the model takes
    │   ├── ModelRefused         a content filter or refusal
    │   └── ModelBadReply        a reply that cannot be used
    ├── TraceMissing             no such trace
    ├── AnswerMissing            no such answer in the cache
    ├── RecordingEnds            a replayed run asks for more than was recorded
    ├── DataNewer                kept by a newer version of fanshu
    ├── CacheUnusable            the file of cached answers cannot be read or written
    ├── ApprovalError            something about approved answers
    │   ├── ApprovalMissing      no such approved answer, for whoever asks
    │   ├── ApprovalRefused      an answer that cannot be approved
    │   ├── ApprovalUnchecked    a text that its evidence does not hold
    │   └── ApprovalsUnusable    the file of approved answers cannot be read or written
    ├── ExtraMissing             what an extra installs is needed
    └── ServiceError             the service cannot or may not do what is asked
        ├── AccountError         a user or token cannot be made, changed or found
        ├── LoginNeeded          who asks is not known
        ├── NotAllowed           who asks may not do this
        ├── UnknownLibrary       no library of that name, for whoever asks
        ├── RunMissing           no such run, for whoever asks
        ├── TooMany              too many requests or questions at once
        ├── CostReached          the questions of this month have cost as much as they may
        ├── RequestRefused       a request that is too large, too slow or from the wrong place
        └── ServiceEnding        the service is being stopped

Limits (rounds, budgets) are results, not errors. A document that cannot be parsed is a
state of that document, not an error.
"""

from typing import ClassVar

from fanshu import extras

MAX_SAID = 300  # characters of one field; what somebody typed or sent may be a megabyte


def _short(value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_SAID:
        return f"{value[:MAX_SAID]}…"
    return value


class FanshuError(Exception):
    """The base of all errors; carries its fields, so that a face can say it in any language.

    `message` and `hint` are templates over the keyword arguments. `code` is stable and is
    what JSON and logs show. `exit_code` is that of the command line.
    """

    code: ClassVar[str] = "error"
    message: ClassVar[str] = "{detail}"
    hint: ClassVar[str] = ""
    exit_code: ClassVar[int] = 2

    def __init__(self, **fields: object) -> None:
        self.fields = {name: _short(value) for name, value in fields.items()}
        super().__init__(self.say(self.message, self.hint))

    def say(self, message: str, hint: str) -> str:
        """The error in one line, from templates in whatever language."""
        parts = message, hint if self.worth(hint) else ""
        return " ".join(part.format(**self.fields) for part in parts if part)

    def worth(self, hint: str) -> bool:
        """Whether a hint has something to tell: `-` and nothing stand for what is not known."""
        empty = (name for name, value in self.fields.items() if value in ("", "-"))
        return not any(f"{{{name}}}" in hint for name in empty)


class ConfigError(FanshuError):
    code = "config"
    message = "The setting {name} is wrong: {detail}."
    hint = "See `fanshu config`."


class QuestionsWrong(ConfigError):
    """Rows of a file that are no questions; the field `problems` names each with its line."""

    code = "questions_wrong"
    message = "Rows of {path} are no questions ({wrong} remarks): {first}."
    hint = "See docs/measuring.md for the form of questions."

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, each with its line."""
        told = self.fields.get("problems")
        return told if isinstance(told, tuple) else ()


class LibraryError(FanshuError):
    code = "library"


class FolderMissing(LibraryError):
    code = "folder_missing"
    message = "There is no folder or file {path!r}."
    hint = "Name one with --docs."


class FolderUnreadable(LibraryError):
    code = "folder_unreadable"
    message = "The folder or file {path!r} cannot be opened: {detail}."
    hint = "Check who may read it, or name another with --docs."


class NoDocuments(LibraryError):
    code = "no_documents"
    message = "Nothing readable was found in {path!r} ({detail})."
    hint = "`fanshu status` lists every file and why it is not read."


class IndexUnwritable(LibraryError):
    code = "index_unwritable"
    message = "The index cannot be written at {path!r}: {detail}."
    hint = "Choose another place with --index."


class IndexBusy(LibraryError):
    code = "index_busy"
    message = "Another process has been writing the index {path!r} for {seconds:.0f} seconds."
    hint = "Wait for it to end, or name another index with --index."


class RootBusy(IndexBusy):
    code = "root_busy"
    message = "The root {root!r} in {path} is being indexed by {holder}, at least until {until}."
    hint = "Wait for it to end, or leave that root to it."


class RootElsewhere(LibraryError):
    code = "root_elsewhere"
    message = "The root {root!r} in {address} is {path!r} on {host}, and not what is named here."
    hint = (
        "Give yours a name of its own with --docs NAME=PATH; if that one is no more, "
        "`fanshu store forget` takes it out."
    )


class StoreError(LibraryError):
    """Something about a store on other machines."""


class StoreUnreachable(StoreError):
    code = "store_unreachable"
    message = "The store at {address} does not answer: {detail}"
    hint = "Is it running, and are host, port and TLS right? See the settings `store_…`."


class StoreRefused(StoreError):
    code = "store_refused"
    message = "The store at {address} refuses: {detail}"
    hint = "What it says names the cause; the rights it needs are in docs/scale.md."


class NoLibrary(StoreError):
    code = "no_library"
    message = "The store at {address} has no library {name!r}."
    hint = "Check the name; `fanshu index --docs FOLDER` makes a library."


class TargetNotEmpty(StoreError):
    code = "target_not_empty"
    message = "{address} holds documents ({files}) that are not, or not so, in {source}."
    hint = "Name an empty place, or have it overwritten with --replace."


class UnknownPath(LibraryError):
    code = "unknown_path"
    message = "No document or folder matches {path!r}."
    hint = "Closest: {closest}."


class UnknownChunk(LibraryError):
    code = "unknown_chunk"
    message = "There is no chunk {chunk_id!r}."
    hint = "{detail}"


class ChunkChanged(LibraryError):
    """The text shown under this id before has moved (`now` names its new id) or is gone (None)."""

    code = "chunk_changed"
    message = "The file of {chunk_id!r} has changed since it was shown; {detail}."

    def __init__(self, *, chunk_id: str, now: str | None) -> None:
        self.now = now
        detail = f"the text is now at {now!r}" if now else "the text is gone"
        super().__init__(chunk_id=chunk_id, now=now, detail=detail)


class ModelError(FanshuError):
    code = "model_error"
    message = "The model {model!r} failed: {detail}."


class ModelNotConfigured(ModelError):
    code = "model_not_configured"
    message = "No model is configured."
    hint = "Name one with --model or FANSHU_MODEL."


class ModelUnreachable(ModelError):
    code = "model_unreachable"
    message = "The model {model!r} cannot be reached at {url}: {detail}."
    hint = "Check --base-url, the network, and that the server runs."


class ModelUnauthorised(ModelError):
    code = "model_unauthorised"
    message = "The model service refused the key for {model!r} ({detail})."
    hint = "Set FANSHU_API_KEY or the provider's own variable."


class ModelKeyMissing(ModelUnauthorised):
    code = "model_key_missing"
    message = "No key is set for the model {model!r}."
    hint = "Set {variables}."


class ModelTimeout(ModelError):
    code = "model_timeout"
    message = "The model {model!r} gave no reply within {seconds:.0f} seconds."
    hint = "Raise --timeout, or choose a faster model."


class ModelRateLimited(ModelError):
    code = "model_rate_limited"
    message = "The model service of {model!r} refuses more requests just now ({detail})."
    hint = "Wait and ask again."


class ContextTooLong(ModelError):
    code = "context_too_long"
    message = "The request is larger than {model!r} takes ({detail})."
    hint = "Lower --hits or the setting context_tokens."


class ModelRefused(ModelError):
    code = "model_refused"
    message = "The model {model!r} declined to answer ({detail})."


class ModelBadReply(ModelError):
    code = "model_bad_reply"
    message = "The model {model!r} sent a reply that cannot be used: {detail}."


class TraceMissing(FanshuError):
    code = "trace_missing"
    message = "There is no trace {trace_id!r}."
    hint = "`fanshu trace list` shows what is kept."


class AnswerMissing(FanshuError):
    code = "answer_missing"
    message = "There is no cached answer {answer_id!r}."
    hint = "`fanshu cache list` shows what is kept."


class RecordingEnds(FanshuError):
    code = "recording_ends"
    message = "The recording ends: {replies} replies for the question {question!r}, one more asked."
    hint = "Record it again with `fanshu eval run --record`."


class DataNewer(FanshuError):
    code = "data_newer"
    message = (
        "{path!r} was written by a newer version of fanshu (format {format}), and is left alone."
    )
    hint = "Upgrade fanshu here, or go on with the version that wrote it."


class CacheUnusable(FanshuError):
    code = "cache_unusable"
    message = "The cached answers in {path!r} cannot be used: {detail}."
    hint = "Check the permissions, or ask with --no-cache."


class ApprovalError(FanshuError):
    code = "approval"


class ApprovalMissing(ApprovalError):
    code = "approval_missing"
    message = "There is no approved answer {answer_id!r}."
    hint = "`fanshu approved list` shows what is kept."


class ApprovalRefused(ApprovalError):
    code = "approval_refused"
    message = "It cannot be approved: {detail}."


class ApprovalUnchecked(ApprovalError):
    code = "approval_unchecked"
    message = "The cited text does not hold: {items}."
    hint = "Change the answer, or approve it all the same with --force; it stays marked."


class ApprovalsUnusable(ApprovalError):
    code = "approvals_unusable"
    message = "The approved answers in {path!r} cannot be used: {detail}."
    hint = "Check the permissions and the disk."


class ExtraMissing(FanshuError):
    code = "extra_missing"
    message = "`fanshu {verb}` needs packages that are not installed ({detail})."
    hint = "Install them with: {command}"

    def __init__(self, *, verb: str, extra: str, detail: str) -> None:
        command = extras.here().add(extra)
        super().__init__(verb=verb, extra=extra, detail=detail, command=command)


class ServiceError(FanshuError):
    code = "service"


class AccountError(ServiceError):
    code = "account"
    message = "{detail}"


class LoginNeeded(ServiceError):
    code = "login_needed"
    message = "Log in first ({detail})."
    hint = "Programs send a token: `Authorization: Bearer TOKEN`; see `fanshu token create`."


class NotAllowed(ServiceError):
    code = "not_allowed"
    message = "{detail}"


class UnknownLibrary(ServiceError):
    code = "unknown_library"
    message = "There is no library {library!r}."
    hint = "There are: {known}."


class RunMissing(ServiceError):
    code = "run_missing"
    message = "There is no run {run_id!r}."


class TooMany(ServiceError):
    """`seconds`: after which it is worth trying again."""

    code = "too_many"
    message = "Too many {what}: at most {limit}."
    hint = "Try again in {seconds:.0f} seconds."


class CostReached(ServiceError):
    code = "cost_reached"
    message = "The questions of this month have cost {cost} of {limit} US dollars."
    hint = "The next month begins in {seconds:.0f} seconds."


class RequestRefused(ServiceError):
    code = "request_refused"
    message = "{detail}"


class ServiceEnding(ServiceError):
    code = "service_ending"
    message = "The service is being stopped."
    hint = "Try again in {seconds:.0f} seconds."
