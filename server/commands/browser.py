"""Opens the dashboard in a browser; the token is on no command line, which every user of the machine can read."""

import atexit
import html
import shutil
import tempfile
import threading
import webbrowser
from pathlib import Path

_KEPT_SECONDS = 60.0
"""A browser that takes longer to start finds no token."""


def open_in_browser(url: str, *, is_secret: bool) -> None:
    """Open a URL; a secret one by way of a file that only this user can read."""
    webbrowser.open(redirecting_file(url).as_uri() if is_secret else url)


def redirecting_file(url: str) -> Path:
    """Return a page that leads to a URL; it is deleted soon."""
    folder = Path(tempfile.mkdtemp(prefix="toposcope-"))  # 0700
    file = folder / "open.html"
    address = html.escape(url)
    refresh = f'<meta http-equiv="refresh" content="0;url={address}"><meta name="referrer" content="no-referrer">'
    file.write_text(f'<!DOCTYPE html><meta charset="utf-8">{refresh}<title>Toposcope</title>', encoding="utf-8")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    deletion = threading.Timer(_KEPT_SECONDS, shutil.rmtree, [folder], {"ignore_errors": True})
    deletion.daemon = True
    deletion.start()
    return file
