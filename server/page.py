"""The page: its files, cached in memory, and its content security policy."""

import gzip
import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

FOLDER = Path(__file__).parent.parent / "web"
"""Next to this package, in the repository and in an installation."""
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self'",
        "connect-src 'self'",
        "font-src 'self'",
        "worker-src 'self'",
        "frame-src 'self'",  # A snapshot is recorded in a frame.
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ]
)
"""The page may load only its own scripts."""
_EXTENSIONS = {".js", ".css", ".svg", ".html", ".map"}


class _File(NamedTuple):
    content: bytes
    compressed: bytes
    media_type: str
    etag: str
    modified: int


class Page:
    """Serves the page's files, and no others of the folder.

    Files are served from memory, without a thread per request. A file that changed on disk is read again.
    """

    def __init__(self, folder: Path, path_prefix: str) -> None:
        self._folder = folder.resolve()
        self._prefix = path_prefix
        self._files: dict[str, _File] = {}

    def reply(self, scope: Scope) -> Response | None:
        """Return the reply to a request for a file of the page; None if it is for something else."""
        path = scope["path"]
        if path == self._prefix and path:  # Relative, so that it is valid behind any proxy.
            return RedirectResponse("./" + path.rpartition("/")[2] + "/")
        if scope["method"] not in ("GET", "HEAD") or not path.startswith(self._prefix + "/"):
            return None
        file = self._find(path.removeprefix(self._prefix + "/") or "index.html")
        if file is None:
            return None
        request_headers = Headers(scope=scope)
        headers = {"ETag": file.etag, "Vary": "Accept-Encoding"}
        if request_headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request_headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(file.compressed, media_type=file.media_type, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    def _find(self, name: str) -> _File | None:
        path = (self._folder / name).resolve() if "\0" not in name else self._folder
        if path.suffix not in _EXTENSIONS or not path.is_relative_to(self._folder) or not path.is_file():
            return None
        modified = path.stat().st_mtime_ns
        file = self._files.get(name)
        if file is None or file.modified != modified:
            content = path.read_bytes()
            media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
            etag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'  # Weak: the same for compressed and plain content.
            file = _File(content, gzip.compress(content, mtime=0), media_type, etag, modified)
            self._files[name] = file
        return file
