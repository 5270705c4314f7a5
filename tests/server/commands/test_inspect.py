"""summary-server inspect: the contents of event files, and their damage."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.event_files import GOLDEN, loss_run, scalar_event, version_event, write_run
from support.servers import without_installation_warnings
from support.summary_values import MindSporeValue, record

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder import SummaryRecord

Command = Callable[..., subprocess.CompletedProcess[str]]


def inspected(command: Command, path: Path, status: int = 0) -> dict[str, Any]:
    """Return the output of inspect --json."""
    done = command("inspect", path, "--json")
    assert (done.returncode, done.stderr) == (status, "")
    inspection: dict[str, Any] = json.loads(done.stdout)
    return inspection


def heavy_event(step: int) -> bytes:
    """Return the record of an image too large to be verified while it is loaded."""
    return record(2.0 + step, step, MindSporeValue(tag="picture", image=Summary.Image(encoded_image=bytes(10_000))))


def test_golden_runs_are_listed_completely(command: Command) -> None:
    """Tags, steps and files of MindSpore's run equal those of its own reader; nothing is damaged."""
    inspection = inspected(command, GOLDEN)
    (run,) = [run for run in inspection["runs"] if run["run"] == "mindspore/digits_momentum"]
    tags = {(tag["plugin"], tag["tag"]): tag for tag in run["tags"]}
    loss = tags["scalar", "logit_abs_mean"]

    assert (run["dialect"], run["first_step"], run["last_step"], run["ranks"]) == ("mindspore", 1, 90, [0])
    assert (loss["points"], loss["recorded"], loss["first_step"], loss["last_step"]) == (19, 21, 1, 90)
    assert tags["lineage", "train"]["recorded"] == 1
    assert sum(file["size"] for file in run["files"]) == sum(
        path.stat().st_size for path in (GOLDEN / "mindspore/digits_momentum").glob("events.*")
    )
    assert inspection["damaged_records"] == 0


def test_damage_of_every_kind_is_listed_and_the_status_is_1(tmp_path: Path, command: Command) -> None:
    """Damaged payloads, light and heavy, and damaged lengths are listed with their offsets."""
    records = [scalar_event(2.0, 0, {"loss": 1.0}), heavy_event(1), scalar_event(4.0, 2, {"loss": 0.5})]
    path = write_run(tmp_path, [*records, *records])
    places = [len(version_event()) + sum(map(len, [*records, *records][:i])) for i in (0, 1, 5)]
    content = bytearray(path.read_bytes())
    content[places[0] + 20] ^= 1
    content[places[1] + 5000] ^= 1
    content[places[2] + 2] ^= 1
    path.write_bytes(content)

    (run,) = inspected(command, tmp_path, 1)["runs"]
    (file,) = run["files"]
    listed = command("inspect", path)

    reasons = ["payload", "payload", "length"]
    assert file["damage"] == [{"offset": at, "reason": why} for at, why in zip(places, reasons, strict=True)]
    assert (file["torn_bytes"], file["events"], run["damaged_records"]) == (0, 4, 3)
    assert listed.returncode == 1
    for place in places:
        assert f"at byte {place}: " in listed.stdout


def test_torn_tail_is_not_damage(tmp_path: Path, command: Command) -> None:
    """An incomplete record at the end of a file is normal: its bytes are reported, the status is 0."""
    path = loss_run(tmp_path / "a", range(3))
    path.write_bytes(path.read_bytes()[:-5])
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / path.name).write_bytes(version_event()[:10])

    first, second = inspected(command, tmp_path)["runs"]

    assert first["files"][0]["torn_bytes"] == len(scalar_event(2.0, 0, {"loss": 1.0})) - 5
    assert (second["files"][0]["torn_bytes"], second["events"], second["dialect"]) == (10, 0, None)


def test_attempts_and_ranks_are_reported(tmp_path: Path, command: Command) -> None:
    """A restart is an attempt with its restart step; points count what the dashboard shows, recorded counts all."""
    loss_run(tmp_path, range(10), seconds=1)
    loss_run(tmp_path, range(5, 8), seconds=100)
    loss_run(tmp_path, range(4), seconds=1, rank=1)

    (run,) = inspected(command, tmp_path)["runs"]
    (tag,) = run["tags"]

    assert [(each["rank"], each["attempt"], each["restart_step"]) for each in run["attempts"]] == [
        (0, 1, None),
        (0, 2, 5),
        (1, 1, None),
    ]
    assert (tag["points"], tag["recorded"], tag["ranks"]) == (8, 17, [0, 1])


def test_names_cannot_control_the_terminal(tmp_path: Path, command: Command) -> None:
    """Escape sequences and line ends in tags are escaped in text, and unchanged in JSON."""
    write_run(tmp_path, [scalar_event(2.0, 0, {"\x1b[31mred\n\u202e损失": 1.0})])

    done = command("inspect", tmp_path)
    (tag,) = inspected(command, tmp_path)["runs"][0]["tags"]

    assert "\\x1b[31mred\\n\\u202e损失" in done.stdout
    assert "\x1b" not in done.stdout
    assert tag["tag"] == "\x1b[31mred\n\u202e损失"


def test_logdir_is_not_written_and_no_index_is_created(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inspecting changes nothing."""
    loss_run(tmp_path / "logs", range(3))
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    command("inspect", tmp_path / "logs")

    assert sorted(tmp_path.rglob("*")) == before


def test_folder_without_event_files_is_empty(tmp_path: Path, command: Command) -> None:
    """A logdir without runs is not an error."""
    (tmp_path / "notes.txt").touch()

    assert without_installation_warnings(command("inspect", tmp_path).stdout) == (
        "0 runs, 0 event files, 0 events, 0 bytes, 0 damaged places, 1 other file\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "DIR|FILE"),
        (["missing"], "'missing' does not exist"),
        (["FILE"], "is not an event file"),
        (["DIR", "--yaml"], "unknown argument '--yaml'"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(
    tmp_path: Path, command: Command, arguments: list[str], message: str
) -> None:
    """Errors are one line that contains the invalid value."""
    (tmp_path / "file").touch()
    names = {"FILE": str(tmp_path / "file"), "DIR": str(tmp_path)}

    done = command("inspect", *[names.get(argument, argument) for argument in arguments])

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("summary-server inspect: ")
    assert message in line


def test_what_interrupted_a_run_is_printed(tmp_path: Path, command: Command) -> None:
    """A signal has no exception: only its text is printed."""
    recorder = SummaryRecord(tmp_path)
    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
    recorder.close(interrupted_by="SIGTERM")

    assert "\n  SIGTERM\n" in command("inspect", tmp_path).stdout


def test_closed_pipe_is_not_an_error(command: Command) -> None:
    """The command ends silently when its output is closed, as by a pager."""
    pipe = f"exec 2>&1; {shlex.quote(sys.executable)} -m toposcope.server.cli inspect . --json | head -1"
    done = subprocess.run(pipe, shell=True, cwd=GOLDEN, capture_output=True, text=True, timeout=30)

    assert done.stdout == "{\n"
