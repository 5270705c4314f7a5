"""The start of summary-server: what is imported when, and routes that are imported later."""

import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from support.event_files import scalar_event, write_run
from support.servers import Serve, wait_until

HEAVY = {"anyio", "fastapi", "google.protobuf", "numpy", "orjson", "pydantic", "starlette", "uvicorn", "watchfiles"}
PRINT_MODULES = """
import contextlib, io, json, sys
from toposcope.server import cli
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    cli.main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(*arguments: str) -> set[str]:
    """Return the modules that a new process has imported after it ran summary-server."""
    command = [sys.executable, "-c", PRINT_MODULES, *arguments]
    return set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("--port", "none")])
def test_nothing_heavy_is_imported_to_parse_the_command_line(arguments: tuple[str, ...]) -> None:
    """--help, --version and errors in the command line import neither NumPy nor the web framework."""
    modules = modules_after(*arguments)
    assert "toposcope.server.commands.serve" in modules
    assert not HEAVY & modules


def test_reading_needs_no_web_framework() -> None:
    """What reads the logdir can be imported, and starts, before the web framework."""
    code = "import sys, json; import toposcope.server.loading.logdir; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout))
    assert not {"fastapi", "pydantic", "starlette", "uvicorn"} & modules


def test_a_logdir_of_event_files_needs_no_other_format(tmp_path: Path) -> None:
    """What reads the formats of other tools is imported for the first file that may be one."""
    run = tmp_path / "logs" / "run"
    write_run(run, [scalar_event(1, 1, {"loss": 0.5})])
    arguments = ("runs", str(tmp_path / "logs"), "--index-dir", str(tmp_path / "index"))
    assert "toposcope.server.formats.tables.tables" not in modules_after(*arguments)
    (run / "metrics.csv").write_text("step,loss\n1,0.5\n")
    assert "toposcope.server.formats.tables.tables" in modules_after(*arguments)


def test_first_chart_needs_no_later_route(serve_process: Serve, tmp_path: Path) -> None:
    """A server replies to the first requests of a page, and to requests for routes that it imports for them."""
    write_run(tmp_path / "run", [scalar_event(1, 1, {"loss": 0.5})])
    client: httpx.Client = serve_process(tmp_path)
    reply = wait_until(lambda: (reply := client.get("/api/scalars?tag=loss")).status_code == 200 and reply.json())
    assert reply["series"][0]["value"] == [0.5]
    assert client.get("/api/lineage").status_code == 200
    assert client.get("/api/none").status_code == 404
    assert client.put("/api/images").status_code == 405
    assert "/api/graphs" in client.get("/api/openapi.json").json()["paths"]
