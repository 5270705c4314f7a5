"""GET /api/undrawn."""

from pathlib import Path
from typing import Any

import numpy as np
from support.servers import Serve, wait_until
from support.summary_values import of_plugin, tensorboard_run

from toposcope.proto import tensorboard_pb2
from toposcope.recorder import SummaryWriter
from toposcope.server.api.recorded.undrawn import Undrawn


def undrawn(serve: Serve, logdir: Path, run: str) -> dict[str, Any]:
    """Return the reply for a run."""
    client = serve(logdir)
    wait_until(lambda: not client.get("api/health").json()["loading"])
    reply = client.get("api/undrawn", params={"run": run}).raise_for_status().json()
    Undrawn.model_validate(reply, extra="forbid")
    return reply


def test_what_the_page_does_not_draw_is_named_with_its_files(tmp_path: Path, serve: Serve) -> None:
    """A profile is in the event file; curves, embeddings and meshes have a page."""
    directory = tmp_path / "run"
    with SummaryWriter(str(directory)) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_mesh("cloud", np.zeros((1, 4, 3)), global_step=1)
        writer.add_pr_curve("curve", np.array([0, 1]), np.array([0.2, 0.8]), 1)
        writer.add_embedding(np.eye(3), ["a", "b", "ü"], np.zeros((3, 1, 2, 2)), 2, 'nàme "1"/x')
    profile = of_plugin("profile", "trace", tensorboard_pb2.TensorProto(dtype=1))
    event_file = tensorboard_run(directory, [(1, profile)]).name

    reply = undrawn(serve, tmp_path, "run")

    tags = [(row["plugin"], row["tag"], row["files"]) for row in reply["tags"]]
    assert tags == [("profile", "trace", [event_file])]


def test_run_that_is_drawn_has_nothing_else(tmp_path: Path, serve: Serve) -> None:
    """A run with scalars lists nothing; a directory in place of a list of embeddings is ignored."""
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("loss", 1.0, 1)
    (tmp_path / "run/projector_config.pbtxt").mkdir()

    assert undrawn(serve, tmp_path, "run")["tags"] == []
