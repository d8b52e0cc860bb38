"""Dates as files give them → ISO dates."""

import re
from datetime import date

_DATE = re.compile(r"(?:D:)?(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})(?!\d{1,3}(?!\d))")


def iso_date(text: str) -> str | None:
    """`2024-03-01` for `2024/3/1`, `2024-03-01T10:00Z`, `2024年3月1日` or PDF's `D:20240301…`."""
    match = _DATE.match(text.strip())
    if not match:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None
