"""Settings as they may be shown and kept, and back again from a trace."""

from fanshu.places import roots
from fanshu.settings import STORE, Settings
from fanshu.traces import Document

SECRET = {"api_key", "api_key_file", "api_key_command", "headers"} | {  # in no trace
    *("store_user", "store_password", "store_password_file", "store_password_command")
}
# Settings that no answer depends on. All others, and any that is added, are part of what a cached
# answer was made under.
NO_MATTER = frozenset(
    {"index", "api_key", "timeout", "deadline", "language", "trace", "trace_days", "trace_mb"}
    | {"cache", "cache_days", "cache_mb", "history", *STORE}
)


def public(settings: Settings) -> dict[str, object]:
    """Settings as they may be shown and kept: no key, no secrets in the address."""
    from fanshu.models.providers import shown

    values = settings.model_dump(mode="json", exclude=SECRET)
    values["docs"] = [
        f"{root.name}={root.path}" if root.name else str(root.path) for root in roots(settings)
    ]
    if settings.base_url:
        values["base_url"] = shown(settings.base_url)
    if settings.store:
        values["store"] = settings.store_shown
    return values


def recorded(document: Document, over: Settings, given: frozenset[str]) -> Settings:
    """The settings of a trace, with those `over` it that were given anew, and today's store."""
    values = {
        name: value for name, value in document["settings"].items() if name in Settings.model_fields
    }
    if not values.get("docs"):  # a library in a store that was only asked
        values.pop("docs", None)
    return Settings(**(values | {name: getattr(over, name) for name in given.union(STORE)}))
