"""A tag's plugin, which TensorBoard's metadata declare, holds in all files of the run."""

import os
import struct
from pathlib import Path

import pytest
from support.servers import Serve, wait_until

from toposcope.proto import framing
from toposcope.proto.tensorboard_pb2 import Event
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.reading.index.index import Index
from toposcope.server.runs.run import RunView


def write(directory: Path, seconds: int, steps: range, plugin: str | None, tag: str = "loss") -> Path:
    """Write a file with a scalar as a tensor at each step; the first one may name the plugin."""
    events = [Event(wall_time=seconds, file_version="brain.Event:2")]
    for step in steps:
        events.append(Event(wall_time=seconds + step, step=step))
        value = events[-1].summary.value.add(tag=tag)
        value.tensor.dtype = 1  # DT_FLOAT
        value.tensor.tensor_content = struct.pack("<f", step / 2)
        if plugin is not None and step == steps[0]:
            value.metadata.plugin_data.plugin_name = plugin
    directory.mkdir(exist_ok=True)
    path = directory / f"events.out.tfevents.{seconds}.host"
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))
    os.utime(path, (seconds, seconds))
    return path


def tags(run: RunView) -> list[tuple[str, str]]:
    """Return the tags with their plugins."""
    return [(tag.plugin, tag.name) for tag in run.tags]


@pytest.mark.parametrize("declaring", [0, 1, 2])
def test_tag_is_a_scalar_in_every_file(tmp_path: Path, declaring: int) -> None:
    """Whichever file declares the plugin, the tag is one series with the points of all."""
    for number in range(3):
        steps = range(10 * number + 1, 10 * number + 11)
        write(tmp_path, 100 * (number + 1), steps, "scalars" if number == declaring else None)

    (run,) = load_logdir(str(tmp_path)).runs.values()

    assert tags(run) == [("scalar", "loss")]
    assert run.points("loss", 0).step.tolist() == list(range(1, 31))
    assert run.points("loss", 0).value.tolist() == [step / 2 for step in range(1, 31)]


def test_tag_without_metadata_is_a_tensor(tmp_path: Path) -> None:
    """If no file of the run declares a plugin, it is a tensor; another run does not declare it."""
    write(tmp_path / "a", 100, range(1, 3), "scalars")
    write(tmp_path / "b", 100, range(1, 3), None)

    runs = load_logdir(str(tmp_path)).runs

    assert tags(runs["b"]) == [("tensor", "loss")]


def test_index_contains_what_was_read_again(tmp_path: Path) -> None:
    """An index made before the declaration is not used; the one made after it needs no second reading."""
    logdir = tmp_path / "logdir"
    logdir.mkdir()
    index = Index(tmp_path / "index", 1 << 20)
    later = write(logdir, 200, range(11, 21), None)
    (run,) = load_logdir(str(logdir), index).runs.values()
    assert tags(run) == [("tensor", "loss")]

    first = write(logdir, 100, range(1, 11), "scalars")
    for _ in range(2):
        (run,) = load_logdir(str(logdir), Index(tmp_path / "index", 1 << 20)).runs.values()
        assert tags(run) == [("scalar", "loss")]
        assert run.points("loss", 0).step.tolist() == list(range(1, 21))

    first.unlink()
    (run,) = load_logdir(str(logdir), Index(tmp_path / "index", 1 << 20)).runs.values()
    assert tags(run) == [("scalar", "loss")], later


def test_growing_run_is_read_again(tmp_path: Path, serve: Serve) -> None:
    """A server that has read a file without metadata makes it a scalar when another file declares it."""
    write(tmp_path, 200, range(11, 21), None)
    client = serve(tmp_path)
    wait_until(lambda: client.get("api/tags").json()["tags"] == [{"plugin": "tensor", "tag": "loss", "runs": 1}])

    write(tmp_path, 100, range(1, 11), "scalars")

    wait_until(lambda: client.get("api/tags").json()["tags"] == [{"plugin": "scalar", "tag": "loss", "runs": 1}])
    (series,) = client.get("api/scalars", params={"tag": "loss"}).json()["series"]
    assert series["step"] == list(range(1, 21))
    write(tmp_path, 300, range(21, 31), None)
    wait_until(lambda: client.get("api/scalars", params={"tag": "loss"}).json()["series"][0]["total"] == 30)
