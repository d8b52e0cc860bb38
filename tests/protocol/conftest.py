"""Two small libraries behind a real server, asked by the SDK's own client."""

from importlib.util import find_spec

if any(find_spec(name) is None for name in ("mcp", "fastapi", "httpx")):
    collect_ignore_glob = ["test_[!e]*.py"]  # test_extra.py says so
