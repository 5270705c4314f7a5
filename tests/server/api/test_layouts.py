"""GET /api/layouts."""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from support import http
from support.event_files import GOLDEN, loss_run
from support.servers import Serve, start, stop, wait_until
from support.summary_values import of_plugin, strings, tensorboard_run

from toposcope.proto.tensorboard_pb2 import TensorProto
from toposcope.proto.tensorboard_plugins_pb2 import Layout
from toposcope.recorder import SummaryWriter
from toposcope.server.api.parameters.layouts import Layouts
from toposcope.server.values.custom_scalars import (
    CONFIG,
    LARGEST_LAYOUT,
    MAX_CATEGORIES,
    MAX_CHARTS,
    MAX_TAGS,
    read_layout,
)

_CUSTOM_SCALARS = GOLDEN / "tensorboard/custom_scalars"


def layouts(client: Any, **query: Any) -> dict[str, Any]:
    """Return the reply when all runs are loaded."""
    wait_until(lambda: not client.get("api/health").json()["loading"])
    reply: dict[str, Any] = client.get("api/layouts", params=query).raise_for_status().json()
    Layouts.model_validate(reply, extra="forbid")
    return reply


def plain_panels(charts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the panels of charts that are in the JSON form of protobuf; panels are 6 by 4, two in a row."""
    panels: list[dict[str, Any]] = []
    for chart in charts:
        settings: dict[str, Any] = {"title": chart.get("title", "")}
        if "multiline" in chart:
            settings["patterns"] = chart["multiline"].get("tag", [])
        elif "margin" in chart:
            series = chart["margin"].get("series", [])
            settings["margins"] = [{end: each.get(end, "") for end in ("value", "lower", "upper")} for each in series]
            settings["tags"] = [each["value"] for each in series if each.get("value")]
        else:
            continue
        x, y = [(0, 0), (6, 0)][len(panels) % 2]
        panels.append({"kind": "lines", "x": x, "y": y + len(panels) // 2 * 4, "w": 6, "h": 4, "settings": settings})
    return panels


def plain_workspace(layout: dict[str, Any]) -> dict[str, Any]:
    """Return the workspace of a layout that is in the JSON form of protobuf, with its patterns as they are."""
    sections = [
        {
            "name": category.get("title", ""),
            "collapsed": category.get("closed", False),
            "panels": plain_panels(category.get("chart", [])),
            "settings": {},
        }
        for category in layout.get("category", [])
    ]
    return {"version": 1, "sections": sections, "settings": {}}


def take_patterns(workspace: dict[str, Any]) -> list[list[str]]:
    """Remove the patterns of each panel from a workspace and return them."""
    panels = [panel for section in workspace["sections"] for panel in section["panels"]]
    return [panel["settings"].pop("patterns") for panel in panels if "patterns" in panel["settings"]]


def test_layouts_of_tensorboardx_are_workspaces(serve: Serve) -> None:
    """Files written by tensorboardX have the layouts that TensorBoard's own reader finds, the last one of each run."""
    expected = json.loads((_CUSTOM_SCALARS / "expected.json").read_text())

    reply = layouts(serve(_CUSTOM_SCALARS))

    added, direct = reply["layouts"]
    assert [(row["run"], row["runs"], row["name"]) for row in (added, direct)] == [
        ("added", 1, "Losses"),
        ("direct", 1, "closed ü, none"),
    ]
    assert take_patterns(added["workspace"]) == [["^loss/.*"], ["^(?:train|eval)", "^rate$"], []]
    plain = {run: plain_workspace(layout) for run, layout in expected.items()}
    take_patterns(plain["added"])
    assert {"added": added["workspace"], "direct": direct["workspace"]} == plain
    assert reply["problems"] == []


def test_layout_of_several_runs_is_listed_once_and_after_a_restart(tmp_path: Path) -> None:
    """A server that was started again reads it from where the index says; runs without a layout have no entry."""
    for name, tags in (("a", ["loss"]), ("b", ["rate"]), ("c", ["loss"])):
        with SummaryWriter(str(tmp_path / "runs" / name)) as writer:
            writer.add_scalar("loss", 1.0, 1)
            writer.add_custom_scalars_multilinechart(tags, "category", "chart")
    loss_run(tmp_path / "runs/plain", range(3))
    replies = []
    for _ in range(2):
        process, url = start(tmp_path / "runs", "--index-dir", str(tmp_path / "index"))
        with http.client(base_url=url) as client:
            replies.append(layouts(client))
        stop(process)

    assert [(row["run"], row["runs"]) for row in replies[0]["layouts"]] == [("a", 2), ("b", 1)]
    assert replies[0]["layouts"] == replies[1]["layouts"]


def test_damaged_layouts_are_reported_and_others_read(tmp_path: Path, serve: Serve) -> None:
    """Each is named in one sentence; a layout is not among what no page draws."""
    content = Layout(category=[{"title": "good"}]).SerializeToString()
    tensors = {
        "cut": strings(content[:-1], dims=()),
        "good": strings(content, dims=()),
        "many": strings(content, content),
        "numbers": TensorProto(dtype=1, float_val=[1.0]),
    }
    for name, tensor in tensors.items():
        tensorboard_run(tmp_path / name, [(0, of_plugin("custom_scalars", CONFIG, tensor))])
    client = serve(tmp_path)

    reply = layouts(client)

    assert [row["run"] for row in reply["layouts"]] == ["good"]
    assert [re.findall(r"of run '(\w+)'", problem) for problem in reply["problems"]] == [["cut"], ["many"], ["numbers"]]
    assert "expected one text with a layout instead of 2" in reply["problems"][1]
    assert "expected a tensor of strings" in reply["problems"][2]
    assert layouts(client, run="cut")["layouts"] == []
    assert client.get("api/undrawn", params={"run": "good"}).json()["tags"] == []


def test_reply_has_at_most_100_layouts(tmp_path: Path, serve: Serve) -> None:
    """A sentence says how many runs have others."""
    for number in range(103):
        content = Layout(category=[{"title": str(number)}]).SerializeToString()
        value = of_plugin("custom_scalars", CONFIG, strings(content, dims=()))
        tensorboard_run(tmp_path / f"{number:03}", [(0, value)])

    reply = layouts(serve(tmp_path))

    assert [row["name"] for row in reply["layouts"]] == [str(number) for number in range(100)]
    assert "the layouts of 3 runs are left out" in reply["problems"][0]


@pytest.mark.parametrize(("path", "status", "error"), [("run=nobody", 404, "'nobody'"), ("typo=1", 422, "typo")])
def test_errors_contain_the_invalid_value(path: str, status: int, error: str, serve: Serve) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = serve(_CUSTOM_SCALARS).get(f"api/layouts?{path}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
_PATTERNS = st.text("ab|^$.*()/\\", max_size=6)
_CHARTS = st.one_of(
    st.fixed_dictionaries({}, optional={"title": _TEXTS}),
    st.fixed_dictionaries({"multiline": st.fixed_dictionaries({"tag": st.lists(_PATTERNS, max_size=3)})}),
    st.fixed_dictionaries(
        {
            "title": _TEXTS,
            "margin": st.fixed_dictionaries(
                {
                    "series": st.lists(
                        st.fixed_dictionaries({}, optional=dict.fromkeys(("value", "lower", "upper"), _TEXTS)),
                        max_size=3,
                        unique_by=lambda series: series.get("value"),
                    )
                }
            ),
        }
    ),
)
_LAYOUTS = st.fixed_dictionaries(
    {
        "category": st.lists(
            st.fixed_dictionaries(
                {"title": _TEXTS, "chart": st.lists(_CHARTS, max_size=5)}, optional={"closed": st.booleans()}
            ),
            max_size=3,
        )
    }
)


@given(_LAYOUTS)
def test_any_layout_is_read_as_a_plain_reading_does(layout: dict[str, Any]) -> None:
    """Patterns match what TensorBoard's match, which begin at the beginning of a tag."""
    content = ParseDict(layout, Layout()).SerializeToString()

    workspace = read_layout(strings(content, dims=()).SerializeToString()).workspace

    expected = plain_workspace(layout)
    patterns, plain_patterns = take_patterns(workspace), take_patterns(expected)
    assert workspace == expected
    for anchored, plain in zip(patterns, plain_patterns, strict=True):
        for mine, tensorboards in zip(anchored, filter(None, plain), strict=True):
            assert mine.startswith("^")
            if is_valid(tensorboards):
                for tag in ("", "a", "b", "ab", "ba", "aab", "a/b", "b/a", "a|b", "^a", "(b)"):
                    assert bool(re.search(mine, tag)) == bool(re.match(tensorboards, tag)), tag


def is_valid(pattern: str) -> bool:
    """Return whether a pattern is a regular expression."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@given(st.binary(max_size=200))
def test_any_bytes_are_a_layout_or_an_error(content: bytes) -> None:
    """Neither a damaged tensor nor a damaged layout in an intact tensor raises anything else."""
    for payload in (content, strings(content, dims=()).SerializeToString()):
        with suppress(DecodeError, ValueError):
            assert read_layout(payload).workspace["version"] == 1


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (Layout(category=[{}] * (MAX_CATEGORIES + 1)), "201 categories exceed the limit of 200"),
        (Layout(category=[{"chart": [{}] * (MAX_CHARTS + 1)}]), "1001 charts exceed the limit of 1000"),
        (
            Layout(category=[{"chart": [{"multiline": {"tag": ["a"] * (MAX_TAGS + 1)}}]}]),
            "10001 tags exceed the limit of 10000",
        ),
        (Layout(category=[{"title": "x" * LARGEST_LAYOUT}]), "exceeds the limit of 1048576"),
    ],
)
def test_limits_of_a_layout(layout: Layout, expected: str) -> None:
    """The error names the number and the limit."""
    with pytest.raises(ValueError, match=expected):
        read_layout(strings(layout.SerializeToString(), dims=()).SerializeToString())
