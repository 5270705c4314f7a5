"""--open: what the browser is given."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, sys, urllib.parse, urllib.request
from pathlib import Path
address = sys.argv[1]
path = Path(urllib.request.url2pathname(urllib.parse.urlsplit(address).path))
mode = oct(path.parent.stat().st_mode & 0o777)
Path(os.environ["SEEN"]).write_text("\\n".join([address, mode, path.read_text()]))
"""
OPEN = "import sys; from toposcope.server.commands.browser import open_in_browser as o; o(sys.argv[1], is_secret=True)"


def test_the_token_is_on_no_command_line(tmp_path: Path) -> None:
    """The browser is given a file that only the user can read, which leads to the URL and is deleted."""
    browser = tmp_path / "browser"
    browser.write_text(PROGRAM)
    seen = tmp_path / "seen"
    variables = {
        **os.environ,
        "BROWSER": shlex.join([sys.executable, str(browser), "%s"]),
        "SEEN": str(seen),
        "TMPDIR": str(tmp_path),
    }
    url = "http://127.0.0.1:1/?token=s3cret&x=<"
    subprocess.run([sys.executable, "-c", OPEN, url], env=variables, check=True)

    address, folder, page = seen.read_text().split("\n", 2)
    assert "s3cret" not in address
    assert folder == "0o700"
    assert re.search(r'content="0;url=http://127.0.0.1:1/\?token=s3cret&amp;x=&lt;"', page)
    assert not list(tmp_path.glob("toposcope-*"))
