"""GET /api/undrawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.servers import Serve, wait_until

from toposcope.recorder import SummaryWriter
from toposcope.server.api.undrawn import Undrawn
from toposcope.server.values.projector_config import Embedding, read_projector_config


def undrawn(serve: Serve, logdir: Path, run: str) -> dict[str, Any]:
    """Return the reply for a run."""
    client = serve(logdir)
    wait_until(lambda: not client.get("api/health").json()["loading"])
    reply = client.get("api/undrawn", params={"run": run}).raise_for_status().json()
    Undrawn.model_validate(reply, extra="forbid")
    return reply


def test_what_the_page_does_not_draw_is_named_with_its_files(tmp_path: Path, serve: Serve) -> None:
    """Meshes are in the event file; embeddings have files of their own, which exist; curves have a page."""
    directory = tmp_path / "run"
    with SummaryWriter(str(directory)) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_mesh("cloud", np.zeros((1, 4, 3)), global_step=1)
        writer.add_pr_curve("curve", np.array([0, 1]), np.array([0.2, 0.8]), 1)
        writer.add_embedding(np.eye(3), ["a", "b", "ü"], np.zeros((3, 1, 2, 2)), 2, 'nàme "1"/x')
    (event_file,) = (path.name for path in directory.glob("events*"))

    reply = undrawn(serve, tmp_path, "run")

    *tags, embedding = [(row["plugin"], row["tag"], row["files"]) for row in reply["tags"]]
    assert tags == [("mesh", "cloud_VERTEX", [event_file])]
    assert embedding[:2] == ("projector", 'nàme "1"/x:00002')
    assert len(embedding[2]) == 3
    assert all((directory / name).is_file() for name in embedding[2])
    assert reply["problems"] == []


def test_run_that_is_drawn_has_nothing_else(tmp_path: Path, serve: Serve) -> None:
    """A run with scalars lists nothing; a directory in place of the list is ignored."""
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("loss", 1.0, 1)
    (tmp_path / "run/projector_config.pbtxt").mkdir()

    assert undrawn(serve, tmp_path, "run")["tags"] == []


@pytest.mark.parametrize(
    ("content", "embeddings"),
    [
        (b"", []),
        (b'embeddings { tensor_name: "a" }', [Embedding("a", [])]),
        (b"model_checkpoint_path: \"m\"\nembeddings <tensor_path: 't\\'\\303\\274.tsv'>", [Embedding("", ["t'ü.tsv"])]),
        (
            b'# "comment"\nembeddings { tensor_name: "a"; sprite { image_path: "s" size: 2 } } embeddings {}',
            [Embedding("a", ["s"])],
        ),
        (b'}} embeddings { tensor_name: "a" } embeddings { tensor_name: "cut', [Embedding("a", [])]),
    ],
)
def test_lists_of_embeddings(content: bytes, embeddings: list[Embedding]) -> None:
    """The list is read in protobuf's text format, as far as it is well-formed."""
    assert read_projector_config(content, 10) == embeddings


@given(st.binary(max_size=200))
def test_any_bytes_are_read(content: bytes) -> None:
    """No content of the list raises."""
    assert len(read_projector_config(content, 3)) <= 3
