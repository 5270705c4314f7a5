"""Starts a server for a notebook, once for each logdir."""

import atexit
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from toposcope.server.places.addresses import is_remote

_CHOSEN_HERE = {
    *("--logdir", "--host", "--bind-all", "--allowed-host", "--path-prefix", "--open"),
    *("--token", "--token-file", "--no-token", "--certfile", "--keyfile"),
}
# The page of the notebook is on this machine, or reaches the server through a proxy of its own origin.
_EMBEDDING = [
    f"--allow-embed={scheme}://{host}:*" for scheme in ("http", "https") for host in ("localhost", "127.0.0.1")
]
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from toposcope.server.notebook.serve import main; "
    "main(sys.argv[2:])"
)
_END_SECONDS = 5.0


class NotebookServer(NamedTuple):
    """A server process of this kernel."""

    process: subprocess.Popen[str]
    port: int
    token: str


_started: dict[tuple[str, ...], NotebookServer] = {}
"""The servers, by the logdir and the arguments."""


def notebook_server(logdir: str, arguments: Sequence[str]) -> NotebookServer:
    """Return the server of a logdir, which is started if it does not run.

    Raises:
        ValueError: an argument is one that is chosen here, or summary-server refuses the arguments.
    """
    for argument in arguments:
        flag = argument.partition("=")[0].replace("_", "-")
        if flag in _CHOSEN_HERE:
            raise ValueError(f"argument {argument!r} is not possible in a notebook, which chooses {flag} itself")
    path = logdir if is_remote(logdir) else str(Path(logdir).expanduser().absolute())
    key = (path, *arguments)
    server = _started.get(key)
    if server is None or server.process.poll() is not None:
        server = _started[key] = _start(path, arguments)
    return server


def _start(path: str, arguments: Sequence[str]) -> NotebookServer:
    token = secrets.token_urlsafe(24)
    port = [] if any(argument.startswith("--port") for argument in arguments) else ["--port=0"]
    # Behind the proxy of a hub the browser names the hub, whose name is not known here; the token protects.
    options = [f"--logdir={path}", "--allowed-host=*", *_EMBEDDING, *port, *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _COMMAND, json.dumps(sys.path), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "TOPOSCOPE_TOKEN": token},
            start_new_session=True,  # Interrupting the kernel does not end it.
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            process.communicate()  # It closes the pipes, and waits for the end.
            log.seek(0)
            raise ValueError(log.read().strip() or f"summary-server ended with status {process.returncode}")
    atexit.register(_stop, process)
    return NotebookServer(process, int(found[1]), token)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
