"""Faults of the installation are reported by the server's log, by /api/health and by summary-server inspect."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import ENVIRONMENT, SLOW_SECONDS

from toposcope import proto, server

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-m", "toposcope.server.cli"]
UNCOMPILED = "the scan of event files is not compiled"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that contains a folder toposcope with the sources of the server, uncompiled."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "toposcope").mkdir()
    shutil.copy(ROOT / "package" / "__init__.py", folder / "toposcope")
    for package in (proto, server):
        source = Path(package.__path__[0])
        target = folder / "toposcope" / source.name
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return folder


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir with one run."""
    loss_run(tmp_path / "logdir", range(3))
    return tmp_path / "logdir"


def _environment(*folders: Path) -> dict[str, str]:
    path = os.pathsep.join([*map(str, folders), ENVIRONMENT.get("PYTHONPATH", "")])
    return {**ENVIRONMENT, "PYTHONPATH": path}


def _inspect(cwd: Path, logdir: Path, *arguments: str, search: tuple[Path, ...] = ()) -> str:
    command = [*COMMAND, "inspect", str(logdir), *arguments]
    done = subprocess.run(command, cwd=cwd, env=_environment(*search), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_inspect_reports_a_shadowed_package_and_an_uncompiled_scan(clone: Path, logdir: Path) -> None:
    """Each fault is reported once, as text and in JSON; the message names both folders."""
    text = _inspect(clone, logdir)
    uncompiled, shadowed = json.loads(_inspect(clone, logdir, "--json"))["warnings"]

    assert (uncompiled["kind"], shadowed["kind"]) == ("uncompiled_scan", "shadowed_package")
    assert uncompiled["message"].startswith(UNCOMPILED)
    assert repr(str((clone / "toposcope").resolve())) in shadowed["message"]
    assert "start in another directory" in shadowed["message"]
    for warning in (uncompiled, shadowed):
        assert text.count(f"warning: {warning['message']}\n") == 1


def test_uncompiled_package_that_shadows_none_is_only_uncompiled(clone: Path, logdir: Path, tmp_path: Path) -> None:
    """A package found through the module search path is the installed one, from any working directory."""
    (warning,) = json.loads(_inspect(tmp_path, logdir, "--json", search=(clone,)))["warnings"]

    assert warning["kind"] == "uncompiled_scan"


def test_sound_installation_has_no_warnings(logdir: Path, tmp_path: Path) -> None:
    """A folder toposcope in the working directory that no code is loaded from is not reported."""
    (tmp_path / "toposcope").mkdir()
    compiled = any(Path(server.__path__[0], "reading", "scan").glob("compiled*.so"))

    warnings = json.loads(_inspect(tmp_path, logdir, "--json"))["warnings"]

    assert [warning["kind"] for warning in warnings] == ([] if compiled else ["uncompiled_scan"])
    assert "warning: " not in _inspect(tmp_path, logdir) or not compiled


def test_server_reports_faults_in_its_log_and_in_health(clone: Path, logdir: Path) -> None:
    """The log has one line for each fault, /api/health the same messages."""
    command = [*COMMAND, "--logdir", str(logdir), "--port", "0"]
    process = subprocess.Popen(
        command, cwd=clone, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        (url,) = re.findall(r"http://\S+", process.stdout.readline())
        warnings = httpx.get(f"{url}api/health", timeout=SLOW_SECONDS).json()["warnings"]
    finally:
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=SLOW_SECONDS)

    assert [warning["kind"] for warning in warnings] == ["uncompiled_scan", "shadowed_package"]
    lines = [line.partition(" WARNING ")[2] for line in log.splitlines()]
    assert lines == [warning["message"] for warning in warnings]


def test_python_api_logs_faults_once(clone: Path, logdir: Path) -> None:
    """toposcope.server.open logs them in the first call."""
    code = "import sys, toposcope.server as server; server.open(sys.argv[1]); server.open(sys.argv[1])"
    command = [sys.executable, "-c", code, str(logdir)]
    done = subprocess.run(command, cwd=clone, env=_environment(), capture_output=True, text=True, check=True)

    uncompiled, shadowed = done.stderr.splitlines()
    assert uncompiled.startswith(UNCOMPILED)
    assert "shadows" in shadowed
