"""Directories of add_scalars() are tags of the run that called it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import GOLDEN, tensorboard_event
from support.servers import Serve, wait_until

import toposcope.server
from toposcope.recorder import SummaryWriter
from toposcope.recorder.tensorboard.replacing.tensorboardx import TensorboardxWriter
from toposcope.server.commands.inspection import inspect
from toposcope.server.loading.load_once import load_logdir


def runs_of(logdir: Path) -> dict[str, list[str]]:
    """Return the names of the scalar tags of each run."""
    return {name: sorted(run.tags_of("scalar")) for name, run in load_logdir(str(logdir)).runs.items()}


def write(directory: Path, tag: str, steps: range = range(3), start: float = 1.0) -> None:
    """Write a file of another program's TensorBoard writer with one tag."""
    directory.mkdir(parents=True, exist_ok=True)
    content = [tensorboard_event(start + step, step, {tag: float(step)}) for step in steps]
    (directory / f"events.out.tfevents.{int(start)}.host").write_bytes(b"".join(content))


def test_pytorchs_directories_are_tags_of_the_run(tmp_path: Path) -> None:
    """The run of PyTorch's own writer has the tag of each key, with its points; the directories are no runs."""
    shutil.copytree(GOLDEN / "tensorboard/torch", tmp_path / "run")

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert {"both/a", "both/b"} <= set(run.tags_of("scalar"))
    assert "both" not in run.tags_of("scalar")
    assert run.points("both/a", 0).total == run.points("both/b", 0).total > 0
    assert run.writers == 0
    assert len(run.attempts[0]) == 1


@pytest.mark.parametrize("writer_class", [SummaryWriter, TensorboardxWriter])
@pytest.mark.parametrize("tag", ["loss", "train/loss"])
def test_own_writers_record_one_run(tmp_path: Path, writer_class: type[SummaryWriter], tag: str) -> None:
    """A run with add_scalars() has one recording that finished, and all points."""
    with writer_class(str(tmp_path / "run")) as writer:
        for step in range(1, 6):
            writer.add_scalar("accuracy", step / 10, step)
            writer.add_scalars(tag, {"a": step, "b b/c": 2 * step}, step)

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert sorted(run.tags_of("scalar")) == sorted(["accuracy", f"{tag}/a", f"{tag}/b b/c"])
    assert run.points(f"{tag}/b b/c", 0).value.tolist() == [2, 4, 6, 8, 10]
    assert [recording.state for recording in run.state.recordings] == ["finished"]
    assert run.steps == (1, 5)


def test_two_writers_with_add_scalars_are_two_writers(tmp_path: Path) -> None:
    """Two open writers of a directory are counted once each, whatever directories they made."""
    writers = [SummaryWriter(str(tmp_path)) for _ in range(2)]
    for step in range(3):
        for number, writer in enumerate(writers):
            writer.add_scalar("loss", number, step)
            writer.add_scalars("both", {"a": number, "b": number}, step)
    for writer in writers:
        writer.close()

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert run.writers == 2
    assert run.points("both/a", 0).total == 6
    assert [run.points("both/a", rank).value.tolist() for rank in (1, 2)] == [[0] * 3, [1] * 3]


def test_several_files_of_a_process_are_of_one_writer(tmp_path: Path) -> None:
    """They are parallel, as those of two processes are, but contain different tags: torch's add_hparams adds a file."""
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9}, run_name=".")
        writer.add_scalar("loss", 0.5, 2)

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert len(run.files) == 2
    assert (run.writers, list(run.attempts)) == (0, [0])


def test_second_attempt_replaces_the_points_of_add_scalars(tmp_path: Path) -> None:
    """A recording that begins again from a step hides what the first one recorded from there on."""
    for first, purge_step in ((0, None), (3, 3)):
        with SummaryWriter(str(tmp_path), purge_step=purge_step) as writer:
            for step in range(first, 5):
                writer.add_scalar("loss", first, step)
                writer.add_scalars("both", {"a": first}, step)

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert len(run.attempts[0]) == 2
    assert run.points("both/a", 0).value.tolist() == [0, 0, 0, 3, 3]


@pytest.mark.parametrize(
    ("directory", "tags"),
    [
        ("loss_a", ["loss", "accuracy"]),  # It contains another tag.
        ("lossa", ["loss"]),
        ("other_a", ["loss"]),
        ("loss_", ["loss"]),
        ("sub/loss_a", ["loss"]),  # PyTorch's writer makes no further directory.
    ],
)
def test_other_directories_are_runs(tmp_path: Path, directory: str, tags: list[str]) -> None:
    """A directory is folded only if its name is made from its only tag."""
    write(tmp_path / "run", "accuracy")
    for number, tag in enumerate(tags):
        write(tmp_path / "run" / directory, tag, start=1.0 + number)

    assert runs_of(tmp_path) == {"run": ["accuracy"], f"run/{directory}": sorted(tags)}


def test_directories_without_a_run_above_are_runs(tmp_path: Path) -> None:
    """Directories named like their tag are runs if nothing was recorded above them."""
    for key in "ab":
        write(tmp_path / f"loss_{key}", "loss")

    assert runs_of(tmp_path) == {"loss_a": ["loss"], "loss_b": ["loss"]}


def test_the_logdir_itself_may_be_the_run(tmp_path: Path) -> None:
    """Directories are folded into the run "." too."""
    write(tmp_path, "accuracy")
    write(tmp_path / "train_loss_a", "train/loss")

    assert runs_of(tmp_path) == {".": ["accuracy", "train/loss/a"]}


def test_equal_names_are_not_joined(tmp_path: Path) -> None:
    """A key whose name the run has as a tag already is named by its directory."""
    write(tmp_path / "run", "loss/a")
    write(tmp_path / "run/loss/a", "loss")
    write(tmp_path / "run/loss_a", "loss")

    assert runs_of(tmp_path) == {"run": ["loss/a", "loss/a/loss", "loss_a/loss"]}


def test_directory_in_a_folded_directory_belongs_to_the_run(tmp_path: Path) -> None:
    """A key may contain a slash, and the part before it may be a key of its own."""
    write(tmp_path / "run", "accuracy")
    write(tmp_path / "run/loss_a", "loss")
    write(tmp_path / "run/loss_a/loss_b", "loss")

    assert runs_of(tmp_path) == {"run": ["accuracy", "loss/a", "loss/a/loss_b"]}


def names(client: httpx.Client) -> list[str]:
    """Return the names of the runs."""
    return sorted(run["run"] for run in client.get("api/runs").json()["runs"])


def tags(client: httpx.Client, run: str) -> list[str]:
    """Return the names of the tags of a run."""
    reply = client.get("api/tags", params={"run": run}).json()
    return [row["tag"] for row in reply.get("tags", [])]


def eventually(value: Callable[[], Any], expected: object) -> None:
    """Wait until a value is as expected."""
    wait_until(lambda: value() == expected)


def test_growing_directories_are_folded_and_unfolded(tmp_path: Path, serve: Serve) -> None:
    """A directory is a run as soon as it contains another tag, or as the run above it is gone."""
    write(tmp_path / "run/loss_a", "loss")
    write(tmp_path / "run/loss_b", "loss")
    client = serve(tmp_path)
    eventually(lambda: names(client), ["run/loss_a", "run/loss_b"])

    write(tmp_path / "run", "accuracy")
    eventually(lambda: names(client), ["run"])
    assert tags(client, "run") == ["accuracy", "loss/a", "loss/b"]
    write(tmp_path / "run/loss_a", "other", start=9.0)
    eventually(lambda: names(client), ["run", "run/loss_a"])
    eventually(lambda: tags(client, "run"), ["accuracy", "loss/b"])
    write(tmp_path / "run/loss_b", "loss", range(3, 5), start=19.0)
    series = lambda: client.get("api/scalars", params={"tag": "loss/b"}).json()["series"][0]["step"]  # noqa: E731
    eventually(series, [0, 1, 2, 3, 4])
    shutil.rmtree(tmp_path / "run/loss_a")
    eventually(lambda: names(client), ["run"])
    (tmp_path / "run/events.out.tfevents.1.host").unlink()
    eventually(lambda: names(client), ["run/loss_b"])


def test_folded_directories_live_with_their_run(tmp_path: Path, serve: Serve) -> None:
    """While the process records with add_scalars() only, the run is running; then it is finished."""
    client = serve(tmp_path)
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 1)
        writer.flush()
        eventually(lambda: names(client), ["run"])
        state = lambda: client.get("api/runs").json()["runs"][0]["state"]  # noqa: E731
        eventually(state, "running")
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 2)
        eventually(lambda: client.get("api/scalars", params={"tag": "both/a"}).json()["series"][0]["step"], [1, 2])
    eventually(state, "finished")


def test_python_api_reads_folded_tags(tmp_path: Path) -> None:
    """toposcope.server.open() names the run and its tags alike."""
    shutil.copytree(GOLDEN / "tensorboard/torch", tmp_path / "run")

    with toposcope.server.open(tmp_path) as logdir:
        assert list(logdir.runs) == ["run"]


def test_inspect_names_the_files_of_folded_directories(tmp_path: Path) -> None:
    """Files are listed by their paths below the run's directory."""
    shutil.copytree(GOLDEN / "tensorboard/torch", tmp_path / "run")

    (run,) = inspect(str(tmp_path)).runs

    assert [os.path.dirname(file.file) for file in run.files] == ["", "both_a", "both_b"]
