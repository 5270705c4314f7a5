"""GET /api/histograms."""

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN
from support.servers import Serve
from support.summary_values import TensorBoardValue, histogram_proto, tensorboard_run

from toposcope.recorder import SummaryRecord
from toposcope.server.api.payloads.histograms import Histograms

MINDSPORE = "mindspore/digits_momentum"


def request_histograms(client: httpx.Client, run: str, tag: str, **query: Any) -> list[dict[str, Any]]:
    """Return the histograms of a tag."""
    query = {"run": run, "tag": tag, "limit": 1000, **query}
    reply = client.get("api/histograms", params=query).raise_for_status()
    Histograms.model_validate(reply.json(), extra="forbid")
    assert reply.json()["damaged"] == 0
    return reply.json()["histograms"]


def expected(path: str) -> dict[str, Any]:
    """Return the histograms of the reference reader."""
    return json.loads((GOLDEN / path / "expected.json").read_text())


@pytest.mark.parametrize(("tag", "points"), list(expected(MINDSPORE)["histogram"].items()))
def test_histograms_of_mindspore_are_exact(golden: httpx.Client, tag: str, points: list[list[float]]) -> None:
    """Count, extremes, sum and buckets equal those of the reference reader."""
    histograms = request_histograms(golden, MINDSPORE, tag, attempt="all")

    assert [
        [
            each["step"],
            each["count"],
            each["min"],
            each["max"],
            each["sum"],
            len(each["buckets"]),
            sum(count for _, _, count in each["buckets"]),
        ]
        for each in histograms
    ] == points


@pytest.mark.parametrize("run", ["lr_0.1", "lr_0.01"])
def test_histograms_of_tensorboardx_are_exact(golden: httpx.Client, run: str) -> None:
    """Count and extremes equal those of TensorBoard; the buckets contain all values."""
    points = expected("tensorboard/tensorboardx")[run]["histograms"]["fc/weight"]

    histograms = request_histograms(golden, f"tensorboard/tensorboardx/{run}", "fc/weight")

    assert [[each["step"], each["count"], each["min"], each["max"]] for each in histograms] == points
    for each in histograms:
        (first, _, _), (last, width, _) = each["buckets"][0], each["buckets"][-1]
        assert sum(count for _, _, count in each["buckets"]) == each["count"]
        assert (first, last + width) == (each["min"], pytest.approx(each["max"]))


def test_histograms_of_pytorch_are_exact(golden: httpx.Client) -> None:
    """The count equals that of TensorBoard, and the sum of the buckets."""
    points = expected("tensorboard/torch")["."]["histograms"]["0.weight"]

    histograms = request_histograms(golden, "tensorboard/torch", "0.weight")

    assert [[each["step"], each["count"]] for each in histograms] == points
    assert all(sum(count for _, _, count in each["buckets"]) == 128 for each in histograms)


def test_newer_histograms_of_tensorboard(golden: httpx.Client) -> None:
    """The buckets of tensors recorded by Keras and tf.summary contain all values."""
    custom = request_histograms(golden, "tensorboard/keras/custom", "h")
    kernel = request_histograms(golden, "tensorboard/keras/train", "sequential/dense/kernel/histogram")

    assert [each["step"] for each in custom] == list(range(20))
    assert {each["count"] for each in custom} == {1000}
    assert [each["step"] for each in kernel] == list(range(5))
    for each in (*custom, *kernel):
        assert (len(each["buckets"]), each["sum"], each["nan_count"]) == (30, None, None)
        assert sum(count for _, _, count in each["buckets"]) == each["count"]
        assert each["min"] < each["max"]


def test_recorded_histogram_is_returned(tmp_path: Path, serve: Serve) -> None:
    """Every element is counted; NaN and infinities are not in the buckets."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("histogram", "gradient", np.array([1, 2, 3, 4, np.nan, np.inf, -np.inf, -np.inf]))
        recorder.record(5)

    (histogram,) = request_histograms(serve(tmp_path), ".", "gradient")

    assert histogram["step"] == 5
    assert [histogram[name] for name in ("count", "min", "max", "sum")] == [8, 1, 4, 10]
    assert [histogram[name] for name in ("nan_count", "pos_inf_count", "neg_inf_count")] == [1, 1, 2]
    assert histogram["buckets"] == [[1, 1.5, 2], [2.5, 1.5, 2]]


def test_non_finite_numbers_are_strings(tmp_path: Path, serve: Serve) -> None:
    """PyTorch records NaN as the extremes if a value is NaN."""
    nan = float("nan")
    proto = histogram_proto([0.5, 1.0], [0, 2], min=nan, max=nan, num=3, sum=nan)
    tensorboard_run(tmp_path, [(1, TensorBoardValue(tag="h", histo=proto))])

    (histogram,) = request_histograms(serve(tmp_path), ".", "h")

    assert (histogram["count"], histogram["min"], histogram["max"], histogram["sum"]) == (3, "NaN", "NaN", "NaN")
    assert histogram["buckets"] == [[0.5, 0.5, 2]]


def test_malformed_histograms_are_counted(tmp_path: Path, serve: Serve) -> None:
    """The others are listed."""
    sound = TensorBoardValue(tag="h", histo=histogram_proto([1], [2], max=1, num=2))
    malformed = TensorBoardValue(tag="h", histo=histogram_proto([1, 2], [2]))
    tensorboard_run(tmp_path, [(1, sound), (2, malformed), (3, TensorBoardValue(tag="h", histo=b"\xff"))])

    reply = serve(tmp_path).get("api/histograms", params={"run": ".", "tag": "h"}).json()

    assert ([each["step"] for each in reply["histograms"]], reply["total"], reply["damaged"]) == ([1], 3, 2)
