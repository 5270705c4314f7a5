"""The routes of embeddings, on folders as PyTorch, tensorboardX and TensorFlow write them."""

import re
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.servers import SLOW_SECONDS, Serve, wait_until

from toposcope.recorder import SummaryWriter
from toposcope.server.embeddings import replies

VECTORS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3], [5, 5, 5]], np.float32)
LABELS = [["<b>a</b>", 1, "é"], ["b", 2, ""], ["b", 3.5, "x"], ["c", 4, "y"], ["d", 5, "z"]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir with a run of two steps, recorded by our writer as PyTorch's does it."""
    folder = tmp_path / "logs"
    with SummaryWriter(str(folder / "run")) as writer:
        writer.add_scalar("loss", 1.0, 1)
        for step in (0, 10):
            images = np.zeros((5, 1, 2, 3))
            writer.add_embedding(VECTORS + step, LABELS, images, step, "digits", ["name", "size", "note"])
    return folder


def write(folder: Path, config: str, **files: str | bytes) -> Path:
    """Write a list of embeddings and the files that it names; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "projector_config.pbtxt").write_text(config)
    return folder


def ask(client: httpx.Client, part: str, model: Any = None, **query: Any) -> dict[str, Any]:
    """Return the reply about an embedding of a run."""
    reply = client.get(f"api/embeddings/{part}", params=query).raise_for_status().json()
    if model is not None:
        model.model_validate(reply, extra="forbid")
    return reply


def refusal(client: httpx.Client, run: str, name: str) -> str:
    """Return why an embedding cannot be read."""
    reply = client.get("api/embeddings/projection", params={"run": run, "name": name})
    assert reply.status_code == 410
    detail: str = reply.json()["detail"]
    return detail


def test_embeddings_of_a_run_are_listed_with_their_steps(logdir: Path, serve: Serve) -> None:
    """The run is that of its event files: it has no second writer."""
    client = serve(logdir)

    reply = client.get("api/embeddings", params={"run": "run"}).json()
    replies.Embeddings.model_validate(reply, extra="forbid")
    (run,) = client.get("api/runs").json()["runs"]

    assert reply["embeddings"] == [{"name": "digits", "steps": [0, 10]}]
    assert (run["run"], run["dialect"], run["writers"], run["ranks"]) == ("run", "tensorboard", 0, [0])
    assert run["plugins"] == {"scalar": 1, "projector": 1}


def test_a_projection_has_positions_metadata_and_images(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    which = {"run": "run", "name": "digits", "step": 0}

    plain = ask(client, "projection", replies.Projection, **which, components=3)

    assert (plain["total"], plain["dimensions"], plain["stride"], plain["left_out"]) == (5, 3, 1, 0)
    assert len(plain["axes"]) == 3
    assert sum(plain["explained"]) == pytest.approx(1)
    centred = VECTORS - VECTORS.mean(axis=0)
    positions = np.array(plain["axes"]).T
    np.testing.assert_allclose(positions @ positions.T, centred @ centred.T, atol=1e-4)
    assert plain["columns"] == ["name", "size", "note"]
    assert plain["problems"] == []
    sprite = plain["sprite"]
    assert (sprite["image_width"], sprite["image_height"], sprite["width"], sprite["height"]) == (3, 2, 9, 6)
    image = client.get(sprite["url"]).raise_for_status()
    assert image.headers["content-type"] == "image/png"


def test_columns_are_numbers_or_categories(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    which: dict[str, Any] = {"run": "run", "name": "digits"}

    name = ask(client, "column", replies.ColumnReply, **which, column=0)
    size = ask(client, "column", replies.ColumnReply, **which, column=1)

    assert name["names"] == ["<b>a</b>", "b", "c", "d"]
    assert (name["counts"], name["codes"], name["distinct"]) == ([1, 2, 1, 1], [0, 1, 1, 2, 3], 4)
    assert size["numbers"] == [1, 2, 3.5, 4, 5]
    assert client.get("api/embeddings/column", params=which | {"column": 3}).status_code == 404


def test_neighbours_and_points_have_their_metadata(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    which: dict[str, Any] = {"run": "run", "name": "digits", "step": 0}

    found = ask(client, "neighbours", replies.Neighbours, **which, row=0, metric="euclidean", count=2)
    points = ask(client, "points", replies.Points, **which, row=[4, 1])

    assert [(each["row"], each["distance"]) for each in found["neighbours"]] == [(1, 1), (2, 2)]
    assert found["neighbours"][0]["values"] == ["b", "2", ""]
    assert [point["values"][0] for point in points["points"]] == ["d", "b"]
    assert client.get("api/embeddings/neighbours", params={**which, "row": 5}).status_code == 404


def test_metadata_are_searched_and_exported(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    which = {"run": "run", "name": "digits", "step": 0}

    assert ask(client, "search", replies.Found, **which, text="<B>A") == {"rows": [0], "total": 1}
    content = client.post("api/embeddings/rows.csv", json=which | {"rows": [0, 3]}).raise_for_status()

    assert content.text.splitlines() == [
        "row,name,size,note,dimension 0,dimension 1,dimension 2",
        "0,<b>a</b>,1,é,0.0,0.0,0.0",
        "3,c,4,y,0.0,0.0,3.0",
    ]


def test_a_new_step_appears_in_a_run_that_is_open(logdir: Path, serve_process: Serve) -> None:
    client = serve_process(logdir)

    with SummaryWriter(str(logdir / "run")) as writer:
        writer.add_embedding(VECTORS, None, None, 20, "digits")

    def steps() -> list[int]:
        return client.get("api/embeddings", params={"run": "run"}).json()["embeddings"][0]["steps"]

    wait_until(lambda: steps() == [0, 10, 20], SLOW_SECONDS)


def test_workers_answer_about_embeddings(logdir: Path, serve_process: Serve) -> None:
    client = serve_process(logdir, "--workers", "2")

    assert ask(client, "projection", run="run", name="digits")["step"] == 10


def test_raw_tensors_of_tensorflow_have_the_shape_of_the_list(tmp_path: Path, serve: Serve) -> None:
    """A folder without event files is a run, too; a single column of metadata has no header."""
    write(
        tmp_path / "tf",
        'embeddings { tensor_name: "words:0" tensor_shape: 5 tensor_shape: 3 tensor_path: "w.bytes"\n'
        ' metadata_path: "w.tsv" unknown_field: 1 }',
        w__bytes=VECTORS.tobytes(),
        w__tsv="one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n",
    )
    client = serve(tmp_path)

    found = ask(client, "neighbours", run="tf", name="words", row=0, metric="euclidean", count=1)

    assert found["values"] == ["one"]
    assert [(each["row"], each["values"]) for each in found["neighbours"]] == [(1, ["two"])]
    assert ask(client, "projection", run="tf", name="words")["columns"] == ["label"]


@pytest.mark.parametrize(
    ("config", "files", "reason"),
    [
        ('tensor_path: "../../secret.tsv"', {}, "'../../secret.tsv' is outside the logdir"),
        ('tensor_path: "/etc/passwd"', {}, "'/etc/passwd' is outside the logdir"),
        ('tensor_path: "link.tsv"', {}, "'link.tsv' is outside the logdir"),
        ('tensor_path: "gone.tsv"', {}, "'gone.tsv' cannot be opened: No such file"),
        ('tensor_path: "."', {}, "is outside the logdir|Is a directory"),
        ('tensor_path: "a\\000b"', {}, "is no path"),
        ("tensor_shape: 3", {}, "in a checkpoint of TensorFlow"),
        ('tensor_path: "v.tsv"', {"v__tsv": "\n\n"}, "'v.tsv' has no vectors"),
        ('tensor_path: "v.tsv"', {"v__tsv": "1\t2\n3\t4\n5"}, "'v.tsv' is malformed: .*changed from 2 to 1"),
        ('tensor_path: "v.tsv"', {"v__tsv": "1\tx\n"}, "'v.tsv' is malformed: could not convert string 'x'"),
        ('tensor_path: "v.tsv"', {"v__tsv": "1\t" * 999_999 + "1\n"}, "has 1000000 columns: expected at most 16384"),
        ('tensor_path: "v.tsv"', {"v__tsv": "1" * 2_000_000}, "a line of more than"),
        ('tensor_path: "v.bytes"', {"v__bytes": b"\0" * 10}, "10 bytes, which do not match a shape in the list"),
        ('tensor_path: "v.bytes" tensor_shape: 2 tensor_shape: 3', {"v__bytes": b"\0" * 20}, r"match shape \[2, 3\]"),
        ('tensor_path: "v.bytes" tensor_shape: 0 tensor_shape: 3', {"v__bytes": b""}, "has no vectors"),
        ('tensor_path: "v.bytes" tensor_shape: 1 tensor_shape: 99999', {"v__bytes": b"\0" * 399996}, "99999 columns"),
    ],
)
def test_vectors_that_cannot_be_read_are_refused_with_the_reason(
    config: str, files: dict[str, Any], reason: str, tmp_path: Path, serve: Serve
) -> None:
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    folder = write(tmp_path / "logs" / "run", f'embeddings {{ tensor_name: "e" {config} }}', **files)
    (folder / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    client = serve(tmp_path / "logs")

    assert re.search(reason, refusal(client, "run", "e"))


def test_a_list_in_an_event_file_names_no_files(tmp_path: Path, serve: Serve) -> None:
    """Who writes an event file cannot make the server read other files."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/v.tsv").write_text("1\t2\n")
    translated = serve(write(tmp_path / "secret", 'embeddings { tensor_name: "e" tensor_path: "v.tsv" }').parent)
    assert translated.get("api/embeddings", params={"run": "secret"}).json()["embeddings"]

    from toposcope.proto import framing, projector_pb2, summary_pb2, tensorboard_pb2

    info = projector_pb2.EmbeddingInfo(tensor_path="v.tsv", directory=str(tmp_path / "secret"))
    value = tensorboard_pb2.Summary.Value(tag="e")
    value.metadata.plugin_data.plugin_name = "projector"
    value.tensor.dtype = 7
    value.tensor.string_val.append(info.SerializeToString())
    event = tensorboard_pb2.Event(wall_time=1, step=1, summary=tensorboard_pb2.Summary(value=[value]))
    version = summary_pb2.Event(wall_time=1, version="brain.Event:2 projector")
    (tmp_path / "logs").mkdir()
    records = [framing.frame(each.SerializeToString()) for each in (version, event)]
    (tmp_path / "logs/events.out.tfevents.1.host").write_bytes(b"".join(records))
    client = serve(tmp_path / "logs")

    assert "outside the logdir" in refusal(client, ".", "e")


@pytest.mark.parametrize(
    ("config", "files", "problem"),
    [
        ('metadata_path: "/etc/hostname"', {}, "'/etc/hostname' is outside the logdir"),
        ('metadata_path: "m.tsv"', {"m__tsv": "a\nb"}, "'m.tsv' has 2 rows for 5 vectors"),
        ('metadata_path: "m.tsv"', {"m__tsv": "c\t" * 999_999 + "c\n" + "1\n" * 5}, "has 999800 more columns"),
        ('sprite { image_path: "s.png" single_image_dim: 2 }', {"s__png": b"no"}, "'s.png' is no image"),
        ('sprite { image_path: "gone.png" }', {}, "'gone.png' cannot be opened"),
    ],
)
def test_vectors_are_shown_without_what_is_wrong_beside_them(
    config: str, files: dict[str, Any], problem: str, tmp_path: Path, serve: Serve
) -> None:
    text = "\n".join("\t".join(map(str, row)) for row in VECTORS.tolist())
    write(tmp_path / "run", f'embeddings {{ tensor_path: "v.tsv" {config} }}', v__tsv=text, **files)
    client = serve(tmp_path)

    reply = ask(client, "projection", run="run", name="v.tsv")

    assert reply["total"] == 5
    assert problem in reply["problems"][0]


@pytest.mark.parametrize(
    ("dims", "problem"),
    [
        ("single_image_dim: 200 single_image_dim: 200", "has room for 0 images of 200 x 200 pixels: expected 5"),
        ("single_image_dim: 0 single_image_dim: 2", "does not state the size"),
        ("", "does not state the size"),
    ],
)
def test_a_sprite_that_lies_is_left_out(dims: str, problem: str, logdir: Path, serve: Serve) -> None:
    config = logdir / "run" / "projector_config.pbtxt"
    config.write_text(re.sub(r"(?:\s*single_image_dim: \d+)+", f"\n{dims}", config.read_text()))

    reply = ask(serve(logdir), "projection", run="run", name="digits")

    assert reply["sprite"] is None
    assert problem in reply["problems"][0]


@pytest.mark.parametrize("content", ['embeddings { tensor_name: "e', "embeddings { " * 5000, "\0\xff", "x" * 2_000_000])
def test_a_list_that_is_malformed_is_reported(content: str, logdir: Path, serve: Serve) -> None:
    """A list that is written at present is complete soon."""
    (logdir / "run" / "projector_config.pbtxt").write_text(content)
    client = serve(logdir)

    assert client.get("api/embeddings", params={"run": "run"}).json()["embeddings"] == []
    problems = str(client.get("api/health").json())
    assert "projector_config.pbtxt" in problems
