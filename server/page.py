"""The page: its files, held in memory, and the policy that says what they may load."""

import base64
import hashlib
import mimetypes
import re
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

FOLDER = Path(__file__).parent.parent / "web"
"""Beside this package in the repository and where it is installed."""
_SERVED = {".js", ".css", ".svg", ".html"}


class _File(NamedTuple):
    content: bytes
    media_type: str
    etag: str
    modified: int


class Page:
    """Answers requests for the page's files, and for no others of its folder.

    A page is some sixty small files, all asked for at once: they are answered from memory, without a thread each. A
    file that changed on disk is read again.
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
        headers = {"ETag": file.etag}
        if Headers(scope=scope).get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
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
            file = _File(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"', modified)
            self._files[name] = file
        return file


def content_security_policy(folder: Path) -> str:
    """Return the policy of the page: scripts of our own only, and the one import map that the index holds."""
    index = (folder / "index.html").read_text(encoding="utf-8")
    import_map = re.search(r'<script type="importmap">(.*?)</script>', index, re.DOTALL)
    assert import_map is not None, f"{folder / 'index.html'} has no import map"
    digest = hashlib.sha256(import_map[1].encode()).digest()
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' 'sha256-{base64.b64encode(digest).decode()}'",
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
