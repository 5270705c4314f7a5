"""The API returns the scalars of files recorded by MindSpore, tensorboardX, torch and Keras exactly."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support.event_files import GOLDEN

Scalars = dict[str, list[list[Any]]]


def expected_scalars() -> Iterator[tuple[str, str, list[list[Any]]]]:
    """Yield (run, tag, [[step, value]]) of every golden scalar series."""
    mindspore = json.loads((GOLDEN / "mindspore/digits_momentum/expected.json").read_text())
    for tag, points in mindspore["scalar"].items():
        yield "mindspore/digits_momentum", tag, points
    for writer in ("keras", "tensorboardx", "torch"):
        for name, run in json.loads((GOLDEN / "tensorboard" / writer / "expected.json").read_text()).items():
            path = f"tensorboard/{writer}" + ("" if name == "." else f"/{name}")
            for tag, points in run["scalars"].items():
                if [*run["scalars"]] == [tag] and name.startswith(
                    f"{tag}_"
                ):  # TensorBoard does not fold what add_scalars() records.
                    yield f"tensorboard/{writer}", f"{tag}/{name.removeprefix(f'{tag}_')}", points
                else:
                    yield path, tag, points
            for tag, tensor in run["tensors"].items():
                if isinstance(tensor, dict) and tensor["plugin"] == "scalars":
                    yield path, tag, [list(pair) for pair in zip(tensor["steps"], tensor["values"], strict=True)]


@pytest.mark.parametrize(("run", "tag", "points"), list(expected_scalars()), ids=lambda value: str(value)[:40])
def test_scalars_equal_those_of_the_reference_readers(
    golden: httpx.Client, run: str, tag: str, points: list[list[Any]]
) -> None:
    """Every scalar of every golden run is equal bit for bit, including NaN and infinities."""
    query: dict[str, str | int] = {"run": run, "tag": tag, "points": 0, "attempt": "all"}
    (series,) = golden.get("api/scalars", params=query).raise_for_status().json()["series"]

    assert [list(pair) for pair in zip(series["step"], series["value"], strict=True)] == points
    assert series["total"] == len(points)


def test_golden_runs_have_no_other_scalar_tags(golden: httpx.Client) -> None:
    """The tags of each run are exactly those of the reference reader."""
    expected = {(run, tag) for run, tag, _ in expected_scalars()}
    runs = [run["run"] for run in golden.get("api/runs").json()["runs"]]

    rows = golden.get("api/tags", params={"run": runs, "plugin": "scalar"}).json()["tags"]

    assert {(row["run"], row["tag"]) for row in rows} == expected


def test_by_products_of_landscapes_are_omitted_by_default(golden: httpx.Client) -> None:
    """MindSpore's second file, with landscapes and scalars at step 0, neither hides nor adds points."""
    query = {"tag": "logit_abs_mean", "run": "mindspore/digits_momentum"}

    (stitched,) = golden.get("api/scalars", params=query).json()["series"]
    (everything,) = golden.get("api/scalars", params=query | {"attempt": "all"}).json()["series"]
    (run,) = [run for run in golden.get("api/runs").json()["runs"] if run["dialect"] == "mindspore"]

    assert stitched["step"] == everything["step"][:-2]
    assert (stitched["step"][0], stitched["step"][-1]) == (1, 90)
    assert everything["step"][-2:] == [0, 0]
    assert (run["attempts"], run["first_step"], run["last_step"]) == (1, 1, 90)


def test_hyperparameter_sessions_have_a_parent(golden: httpx.Client) -> None:
    """The subdirectory of a session recorded by tensorboardX refers to its run."""
    parents = {run["run"]: run["parent"] for run in golden.get("api/runs").json()["runs"]}

    assert parents["tensorboard/tensorboardx/lr_0.01/1795230787.3919647"] == "tensorboard/tensorboardx/lr_0.01"
    assert [run for run, parent in parents.items() if parent] == [
        "tensorboard/tensorboardx/lr_0.1/1795230787.3453648",
        "tensorboard/tensorboardx/lr_0.01/1795230787.3919647",
    ]


def test_sessions_that_describe_runs_can_be_left_out_of_tags(golden: httpx.Client) -> None:
    """Their metrics are those of the runs above them."""
    tags = [
        {row["tag"]: row["runs"] for row in golden.get("api/tags", params={"sessions": sessions}).json()["tags"]}
        for sessions in (True, False)
    ]

    assert tags[0]["hparam/accuracy"] == 2
    assert "hparam/accuracy" not in tags[1]
    assert {tag for tag in tags[0].keys() - tags[1].keys() if not tag.startswith("_hparams_/")} == {"hparam/accuracy"}


def test_tags_of_all_plugins_are_counted(golden: httpx.Client) -> None:
    """The plugin of a TensorBoard tag is that of its first value."""
    plugins = {run["run"]: run["plugins"] for run in golden.get("api/runs").json()["runs"]}

    assert plugins["mindspore/digits_momentum"] == {
        "dataset_graph": 1,
        "graph": 1,
        "lineage": 3,
        "histogram": 5,
        "image": 2,
        "landscape": 2,
        "scalar": 2,
        "tensor": 1,
    }
    assert plugins["tensorboard/keras/custom"] == {"histogram": 1, "image": 1, "scalar": 1, "text": 1}
