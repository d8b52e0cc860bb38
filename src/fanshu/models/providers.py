"""Which service a model name means: one table of prefixes. Imports no provider code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from fanshu.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Provider:
    """A service under the name that pydantic-ai has for it.

    `keys` are the environment variables that may hold its key, the preferred one first; empty
    where none is needed. `extra` is what to install for its client when the core lacks it.
    `local` is where the server listens by default, `address` the variable that moves it.
    `mainland` is the address at which keys issued in mainland China are valid.
    """

    id: str
    keys: tuple[str, ...] = ()
    extra: str | None = None
    local: str | None = None
    address: str | None = None
    mainland: str | None = None


_OPENAI = Provider("openai-chat", ("OPENAI_API_KEY",), address="OPENAI_BASE_URL")
_ALIBABA = Provider(
    "alibaba",
    ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"),
    mainland="https://dashscope.aliyuncs.com/compatible-mode/v1",
)
_ZAI = Provider("zai", ("ZAI_API_KEY",), mainland="https://open.bigmodel.cn/api/paas/v4")
_MOONSHOT = Provider(
    "moonshotai",
    ("MOONSHOTAI_API_KEY",),
    address="MOONSHOTAI_BASE_URL",
    mainland="https://api.moonshot.cn/v1",
)
_GOOGLE = Provider("google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), extra="google")

PREFIXES: Mapping[str, Provider] = {
    "openai": _OPENAI,
    "openai-chat": _OPENAI,
    "anthropic": Provider("anthropic", ("ANTHROPIC_API_KEY",), extra="anthropic"),
    "google": _GOOGLE,
    "gemini": _GOOGLE,
    "deepseek": Provider("deepseek", ("DEEPSEEK_API_KEY",)),
    "qwen": _ALIBABA,
    "alibaba": _ALIBABA,
    "zhipu": _ZAI,
    "zai": _ZAI,
    "moonshotai": _MOONSHOT,
    "openrouter": Provider("openrouter", ("OPENROUTER_API_KEY",)),
    "azure": Provider("azure", ("AZURE_OPENAI_API_KEY",)),
    "together": Provider("together", ("TOGETHER_API_KEY",)),
    "fireworks": Provider("fireworks", ("FIREWORKS_API_KEY",)),
    "mistral": Provider("mistral", ("MISTRAL_API_KEY",), extra="pydantic-ai-slim[mistral]"),
    "groq": Provider("groq", ("GROQ_API_KEY",), extra="pydantic-ai-slim[groq]"),
    "ollama": Provider("ollama", local="http://127.0.0.1:11434/v1", address="OLLAMA_BASE_URL"),
    "vllm": Provider("vllm", local="http://127.0.0.1:8000/v1", address="VLLM_BASE_URL"),
}

# `qwen:7b` at a server of one's own is a model and its size, not a service and its model.
_TAG = re.compile(r"\A(?:latest|v?\d[\w.]*[bm]?(?:-.*)?)\Z", re.IGNORECASE)
_LOOPBACK = re.compile(r"\A(?:localhost|127(?:\.\d+){3}|::1)\Z")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. Without a provider it is a chat-completions server at `base_url`."""

    model: str
    provider: Provider | None
    base_url: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables whose key belongs to this address; a key goes nowhere else."""
        if self.provider:
            return self.provider.keys
        host = _host(self.base_url)
        known = (p for p in PREFIXES.values() if p.mainland and _host(p.mainland) == host)
        return next((provider.keys for provider in known), ())

    @property
    def without_query(self) -> str:
        """The address up to the query, which stands behind the path of each call."""
        return (self.base_url or "").partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The query of the address, which goes along with every call."""
        return dict(parse_qsl(urlsplit(self.base_url or "").query, keep_blank_values=True))

    @property
    def loopback(self) -> bool:
        """Whether the server runs on this machine, so that no proxy may stand between."""
        return bool(_LOOPBACK.match(_host(self.base_url)))


def endpoint(name: str, base_url: str | None, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint that a model name and an optional address stand for.

    With an address it is always a chat-completions server, and a known prefix only falls away.

    Raises: ConfigError — not an address, or no known prefix and no address.
    """
    prefix, colon, rest = name.partition(":")
    provider = PREFIXES.get(prefix.lower()) if colon and rest else None
    if base_url is not None:
        strip = provider is not None and not _TAG.match(rest)
        return Endpoint(rest if strip else name, None, _address(base_url))
    if provider is None:
        known = ", ".join(f"{known}:" for known in PREFIXES)
        detail = f"{name!r} names no provider; begin it with one of {known}, gguf:"
        detail += " or give --base-url"
        raise ConfigError(name="model", detail=detail)
    local = environ.get(provider.address or "") or provider.local
    return Endpoint(rest, provider, _address(local) if local else None)


def _host(url: str | None) -> str:
    return urlsplit(url or "").hostname or ""


def _address(url: str) -> str:
    """The address without a trailing slash, and without the path of the one call we make."""
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # an open bracket, a port above 65535
        good = False
    if not good:
        detail = f"{shown(url)!r} is not an http(s) address"
        raise ConfigError(name="base_url", detail=detail)
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def shown(url: str) -> str:
    """The address as it may be shown: without user, password and query, which may hold keys."""
    return re.sub(r"//[^/@]*@", "//", url).partition("?")[0]
