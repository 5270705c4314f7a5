"""Logs that the real tools write, in two releases each, read while they are written and afterwards.

They are written by Pythons of their own (see format_scripts/write.py), as a tool needs other versions of packages.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from support.servers import SLOW_SECONDS, new_client, start, stop, wait_until

from toposcope.server.loading.load_once import load_logdir
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build/interop"
TOOLS = ("wandb", "mlruns", "mlflow", "trackio", "sacred")


class Writer(NamedTuple):
    """A tool in one of its releases."""

    tool: str
    environment: str

    def command(self, folder: Path, *options: str) -> list[str]:
        """Return the command that logs into a folder."""
        python = BUILD / self.environment / "bin/python"
        return [str(python), str(HERE / "format_scripts/write.py"), self.tool, str(folder), *options]


WRITERS = [Writer(tool, environment) for tool in TOOLS for environment in ("formats", "formats_older")]
AT_ONCE = [writer for writer in WRITERS if writer.tool in ("mlruns", "mlflow", "trackio")]
"""Those that write each value at once: W&B and Sacred keep what is new for seconds, which a kill loses."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    """Serve the folder in which the tool will log."""
    process, url = start(tmp_path)
    try:
        with new_client(url) as opened:
            yield opened
    finally:
        stop(process)


@pytest.fixture(params=AT_ONCE, ids=" ".join)
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process that has logged half of the steps and waits."""
    command = request.param.command(tmp_path, "--wait")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert any(line == "ready\n" for line in process.stdout)
            yield process
        finally:
            process.kill()


def only_run(folder: Path) -> RunView:
    """Return the only run that is read."""
    (run,) = load_logdir(str(folder)).runs.values()
    return run


def series_of(run: RunView) -> dict[str, list[list[float]]]:
    """Return the steps and values of the scalars that were logged."""
    names = [tag.name for tag in run.files[0].series if tag.name in ("loss", "train/accuracy")]
    points = {name: run.points(name, 0) for name in names}
    return {
        name: list(map(list, zip(each.step.tolist(), each.value.tolist(), strict=True)))
        for name, each in points.items()
    }


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_series_and_parameters_are_those_of_the_tool(writer: Writer, tmp_path: Path) -> None:
    output = subprocess.run(writer.command(tmp_path), capture_output=True, text=True, check=True).stdout
    run = only_run(tmp_path)
    expected = json.loads(output.splitlines()[-1])
    assert repr(sorted(series_of(run).items())) == repr(sorted(expected.items()))
    assert (run.dialect, read_settings(run, []).hyper_parameters["lr"]) == (writer.tool, 0.1)


def test_what_is_logged_appears_and_stays_after_a_kill(
    client: httpx.Client, waiting: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    wait_until(lambda: _last_step(client) == 4, SLOW_SECONDS)
    waiting.kill()
    waiting.wait()
    assert [len(points) for points in series_of(only_run(tmp_path)).values()] == [5, 5]
    assert _last_step(client) == 4


def _last_step(client: httpx.Client) -> int | None:
    """Return the last step of the only run, if there is one yet."""
    steps = [run["last_step"] for run in client.get("api/runs").json()["runs"]]
    return steps[0] if len(steps) == 1 else None
