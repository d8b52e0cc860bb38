"""The table of environment variables that are no settings."""

from collections import defaultdict

OF_OURS = {
    "FANSHU_CONFIG": "a settings file, in the place of all others",
    "FANSHU_DEBUG": "`1`: an unexpected fault shows where in the code it happened",
}
OF_OTHERS = {
    "`AZURE_OPENAI_ENDPOINT`, `OPENAI_API_VERSION`": (
        "where `azure:` is found, and the version of its interface"
    ),
    "`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`": (
        "the proxy between here and the model; never for addresses on this machine"
    ),
    "`SSL_CERT_FILE`, `SSL_CERT_DIR`": "whom to trust, in the place of the system's authorities",
    "`LC_ALL`, `LC_MESSAGES`, `LANG`": (
        "the language of messages, unless `language` says otherwise: `zh…` is Chinese, "
        "everything else English; the first that is set counts"
    ),
    "`NO_COLOR`": "no colours",
    "`FORCE_COLOR`, `CLICOLOR_FORCE`": "colours where no terminal is seen; `0` forces none",
    "`TERM`, `COLUMNS`": "what the terminal can do, and its width",
    "`XDG_DATA_HOME`, `XDG_CONFIG_HOME`": (
        "on Linux, where the folders `fanshu` for data and settings lie; "
        "by default `~/.local/share` and `~/.config`"
    ),
    "`PYTHONPATH`": "handed on to the processes that read PDF and office files",
    "`OMP_WAIT_POLICY`, `GOMP_SPINCOUNT`": (
        "for model files (`gguf:`); set to `passive` and `0` where they are not given"
    ),
}


def environment_table() -> str:
    """Variables and what they do, keys and addresses of providers by the prefix of the model."""
    from fanshu.models.providers import PREFIXES

    keys, addresses = defaultdict(list), {}
    for prefix, provider in PREFIXES.items():
        if provider.keys:
            keys[" or ".join(f"`{key}`" for key in provider.keys)].append(f"`{prefix}:`")
        if provider.address:
            addresses.setdefault(provider.address, (prefix, provider.local or "the provider's own"))
    rows = [(f"`{name}`", meaning) for name, meaning in OF_OURS.items()]
    rows += [(name, f"the key for models of {', '.join(of)}") for name, of in keys.items()]
    rows += [
        (f"`{name}`", f"where `{prefix}:` is found, by default {there}")
        for name, (prefix, there) in addresses.items()
    ]
    rows += OF_OTHERS.items()
    return "".join(f"| {name} | {meaning} |\n" for name, meaning in rows)
