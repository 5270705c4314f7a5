"""GET /api/graphs/counts."""

import json
from collections import Counter
from typing import Any

import httpx
import pytest
from support.event_files import GOLDEN

from toposcope.server.graphs.routes import CountsReply


def counts(client: httpx.Client, run: str) -> dict[str, Any]:
    """Return the reply for the newest graph of a run."""
    reply = client.get("api/graphs/counts", params={"run": run}).raise_for_status().json()
    CountsReply.model_validate(reply, extra="forbid")
    return reply


def test_counts_of_a_mindspore_graph(golden: httpx.Client) -> None:
    """The counts of operators, parameters and constants equal those in the file."""
    expected = json.loads((GOLDEN / "mindspore/digits_momentum/expected.json").read_text())["graph"][0]

    reply = counts(golden, "mindspore/digits_momentum")

    assert reply["kinds"]["parameter"] == len(expected["parameters"])
    assert reply["kinds"]["constant"] >= expected["const_vals"]  # Once in each scope that uses it.
    assert reply["kinds"]["operator"] == expected["nodes"]
    assert sorted(reply["operations"]) == expected["op_types"]
    assert sum(reply["operations"].values()) == expected["nodes"]
    assert list(reply["operations"].values()) == sorted(reply["operations"].values(), reverse=True)
    assert (reply["source"], reply["is_module_tree"], reply["unknown_shapes"]) == ("mindspore", False, 0)
    rows = golden.get("api/graphs", params={"run": "mindspore/digits_momentum"}).json()["graphs"]
    assert all(reply[name] == rows[-1][name] for name in ("nodes", "edges", "depth", "source"))
    assert reply["graph"] == rows[-1]["id"]


@pytest.mark.parametrize("run", ["tensorboard/torch", "tensorboard/keras/train"])
def test_counts_equal_those_of_the_nodes(golden: httpx.Client, run: str) -> None:
    """Counting the nodes scope by scope gives the same numbers."""
    waiting, kinds, operations = [""], Counter[str](), Counter[str]()
    while waiting:
        query: dict[str, str | int] = {"run": run, "scope": waiting.pop(), "limit": 10_000}
        for child in golden.get("api/graphs/nodes", params=query).raise_for_status().json()["scope"]["children"]:
            if child["kind"] == "scope":
                waiting.append(child["name"])
                continue
            kinds[child["kind"]] += 1
            operations.update([child["op"]] if child["kind"] == "operator" else [])

    reply = counts(golden, run)

    assert (reply["kinds"], reply["operations"]) == (kinds, operations)
    assert reply["nodes"] == sum(kinds.values())


def test_missing_graphs_and_runs(golden: httpx.Client) -> None:
    """A run without graphs and an unknown run are 404."""
    for run in ("tensorboard/tensorboardx/lr_0.1", "gone"):
        assert golden.get("api/graphs/counts", params={"run": run}).status_code == 404
