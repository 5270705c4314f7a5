"""Names of downloaded files: the tag that they contain."""

import re
from urllib.parse import quote

_MAX_CHARACTERS = 80


def attachment(tags: list[str], name: str, ending: str) -> str:
    """Return the value of Content-Disposition for a download, named after its tag, or *name* if it has several."""
    stem = tags[0] if len(tags) == 1 else name
    stem = re.sub(r"[^\w.-]+", "_", stem)[:_MAX_CHARACTERS].lstrip(".") or name
    plain = re.sub(r"[^\x21-\x7e]", "_", stem)
    return f"attachment; filename=\"{plain}.{ending}\"; filename*=UTF-8''{quote(stem, safe='')}.{ending}"
