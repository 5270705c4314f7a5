"""What show() and %toposcope accept; tests/interop/check_jupyter.py uses them in a real notebook."""

import json
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import http
from support.event_files import loss_run
from support.servers import wait_until

import toposcope
import toposcope.server
from toposcope.server.notebook import notebook_server
from toposcope.server.notebook.frame import frame_html
from toposcope.server.notebook.magic import toposcope as magic


class Shell:
    """The part of IPython that the extension uses."""

    def __init__(self) -> None:
        self.magics: list[str] = []

    def register_magic_function(self, function: object, kind: str) -> None:
        """Note a magic."""
        self.magics.append(f"{kind}: {getattr(function, '__name__', '')}")


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Stand in for IPython's display; return the HTML that was displayed. The servers are stopped."""
    outputs: list[str] = []
    module = types.ModuleType("IPython.display")
    module.HTML = str  # type: ignore[attr-defined]
    module.display = outputs.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    yield outputs
    for server in notebook_server._started.values():
        notebook_server._stop(server.process)
        for pipe in (server.process.stdin, server.process.stdout):
            assert pipe is not None
            pipe.close()
    notebook_server._started.clear()


def options(output: str) -> dict:
    """Return the port and the query that the frame is opened with."""
    found = re.search(r"= (\{.*\});", output)
    assert found is not None
    return json.loads(found[1])


def test_show_serves_a_logdir_once(tmp_path: Path, displayed: list[str]) -> None:
    """The second output is of the same server; it requires the token, and ends with the kernel."""
    loss_run(tmp_path / "a", range(3))
    toposcope.server.show(tmp_path, height=500)
    magic(f"--logdir '{tmp_path}' --height=300")
    first, second = map(options, displayed)
    assert (first["port"], first["query"]) == (second["port"], second["query"])
    assert (first["height"], second["height"]) == (500, 300)

    url = f"http://127.0.0.1:{first['port']}/api/runs"
    assert http.get(url).status_code == 401
    hub = {"Host": "hub.example.org", "X-Forwarded-Context": "/user/ada/proxy/1"}
    reply = http.get(url + first["query"], headers=hub)
    assert (reply.status_code, reply.headers["location"]) == (303, "./runs")
    assert "Path=/user/ada/proxy/1/" in reply.headers["set-cookie"]
    assert "http://localhost:*" in reply.headers["content-security-policy"]

    (server,) = notebook_server._started.values()
    assert server.process.stdin is not None
    server.process.stdin.close()
    wait_until(lambda: server.process.poll() is not None)


def test_bad_arguments_are_refused(tmp_path: Path, displayed: list[str]) -> None:
    """The message is that of summary-server, or names what a notebook chooses itself."""
    for line, message in (
        ("", "expected %toposcope --logdir DIR"),
        (f"--logdir {tmp_path} --height tall", "--height 'tall': expected an integer"),
        (f"--logdir {tmp_path} --height 5", "height=5: expected an integer from 100 to 10000"),
        (f"--logdir {tmp_path} --token secret-token", "chooses --token itself"),
        (f"--logdir {tmp_path} --bind_all", "chooses --bind-all itself"),
        (f"--logdir {tmp_path} --port http", "invalid port 'http'"),
        (f"--logdir {tmp_path} --nonsense", "unknown argument '--nonsense'"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            magic(line)
    assert displayed == []


def test_show_needs_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without IPython there is no output to show anything in."""
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ImportError, match="needs a notebook"):
        toposcope.server.show(tmp_path)


def test_frame_contains_the_token_as_data_of_the_script() -> None:
    """Every output has an element of its own, so that a cell that is run twice fills its own."""
    one, other = frame_html(6006, "token", 800), frame_html(6006, "token", 800)
    assert options(one)["query"] == "?toposcope_token=token"
    assert options(one)["id"] != options(other)["id"]


def test_package_is_an_extension_of_ipython() -> None:
    """%load_ext toposcope adds %toposcope."""
    shell = Shell()
    toposcope.load_ipython_extension(shell)
    assert shell.magics == ["line: toposcope"]
