"""The page: its files, held in memory, and the policy that says what they may load."""

import gzip
import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

FOLDER = Path(__file__).parent.parent / "web"
"""Beside this package in the repository and where it is installed."""
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ]
)
"""What the page may load: scripts of our own only."""
_SERVED = {".js", ".css", ".svg", ".html", ".map"}


class _File(NamedTuple):
    content: bytes
    packed: bytes
    media_type: str
    etag: str
    modified: int


class Page:
    """Answers requests for the page's files, and for no others of its folder.

    They are answered from memory, without a thread each. A file that changed on disk is read again.
    """

    def __init__(self, folder: Path, path_prefix: str) -> None:
        self._folder = folder.resolve()
        self._prefix = path_prefix
        self._files: dict[str, _File] = {}

    def reply(self, scope: Scope) -> Response | None:
        """Return the answer to a request for a file of the page; None when it is for something else."""
        path = scope["path"]
        if path == self._prefix and path:  # Without the slash. Relative, so that it holds behind any proxy.
            return RedirectResponse("./" + path.rpartition("/")[2] + "/")
        if scope["method"] not in ("GET", "HEAD") or not path.startswith(self._prefix + "/"):
            return None
        file = self._find(path.removeprefix(self._prefix + "/") or "index.html")
        if file is None:
            return None
        asked = Headers(scope=scope)
        headers = {"ETag": file.etag, "Vary": "Accept-Encoding"}
        if asked.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in asked.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(file.packed, media_type=file.media_type, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    def _find(self, name: str) -> _File | None:
        path = (self._folder / name).resolve() if "\0" not in name else self._folder
        if path.suffix not in _SERVED or not path.is_relative_to(self._folder) or not path.is_file():
            return None
        modified = path.stat().st_mtime_ns
        file = self._files.get(name)
        if file is None or file.modified != modified:
            content = path.read_bytes()
            media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
            etag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'  # Weak: of the content, packed or not.
            file = _File(content, gzip.compress(content, mtime=0), media_type, etag, modified)
            self._files[name] = file
        return file
