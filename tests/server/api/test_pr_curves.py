"""GET /api/pr_curves."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.servers import Serve, wait_until
from support.summary_values import of_plugin, tensorboard_run, tensorboard_tensor

from toposcope.server.api.payloads.pr_curves import PrCurves

WRITTEN_BY_TORCH = Path(__file__).parent / "tensorboard_media"
EXPECTED = json.loads((WRITTEN_BY_TORCH / "expected.json").read_text())["pr_curves"]


def request_curves(client: httpx.Client, tag: str, **query: Any) -> dict[str, Any]:
    """Return the reply for a tag of the run "run"."""
    wait_until(lambda: not client.get("api/health").json()["loading"])
    reply = client.get("api/pr_curves", params={"run": "run", "tag": tag} | query).raise_for_status().json()
    PrCurves.model_validate(reply, extra="forbid")
    return reply


@pytest.mark.parametrize("tag", list(EXPECTED))
def test_curves_equal_those_of_tensorboard(tag: str, serve: Serve) -> None:
    """Every number of TensorBoard's own reply for a file of torch.utils.tensorboard."""
    reply = request_curves(serve(WRITTEN_BY_TORCH), tag)

    curves = [{name: curve[name] for name in EXPECTED[tag][0]} for curve in reply["curves"]]
    assert curves == [{name: pytest.approx(numbers) for name, numbers in curve.items()} for curve in EXPECTED[tag]]
    assert all(0 <= curve["average_precision"] <= 1 for curve in reply["curves"])


def test_malformed_curve_is_counted_as_damaged(tmp_path: Path, serve: Serve) -> None:
    """The others are listed; what is not a number is a text."""
    nan = tensorboard_tensor(1, [6, 1], float_val=[float("nan")] * 6)
    tensors = [tensorboard_tensor(1, [5, 1], float_val=[0] * 5), nan]
    tensorboard_run(tmp_path / "run", [(step, of_plugin("pr_curves", "c", each)) for step, each in enumerate(tensors)])

    reply = request_curves(serve(tmp_path), "c")

    assert (reply["total"], reply["damaged"]) == (2, 1)
    assert [(curve["step"], curve["precision"]) for curve in reply["curves"]] == [(1, ["NaN"])]


def test_curves_of_many_thresholds_must_be_selected(tmp_path: Path, serve: Serve) -> None:
    """What would be larger than a reply may be is refused with the way out of it."""
    tensor = tensorboard_tensor(1, [6, 50_000], tensor_content=bytes(4 * 6 * 50_000))
    tensorboard_run(tmp_path / "run", [(step, of_plugin("pr_curves", "c", tensor)) for step in range(8)])
    client = serve(tmp_path)
    wait_until(lambda: not client.get("api/health").json()["loading"])

    refused = client.get("api/pr_curves", params={"run": "run", "tag": "c"})

    assert refused.status_code == 422
    assert "select fewer with lo, hi or limit" in refused.json()["detail"]
    assert len(request_curves(client, "c", limit=2)["curves"]) == 2
