"""The API routes of loss landscapes."""

import io
import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support import landscape_details as made
from support.event_files import GOLDEN, landscape_event, loss_run, write_run
from support.landscape_events import newest
from support.outlier_training import TAG, train_with_outliers
from support.servers import Serve

from toposcope.proto import framing
from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord, landscape
from toposcope.server.landscapes.landscape_query import MAX_BYTES
from toposcope.server.landscapes.replies import Landscapes

_RUN = "mindspore/digits_momentum"


def _read(client: httpx.Client, **query: Any) -> dict[str, Any]:
    reply = client.get("api/landscapes", params=query).raise_for_status().json()
    Landscapes.model_validate(reply, extra="forbid")
    return reply


def _surface(height: float) -> LossLandscape:
    return landscape([0, 1], [0, 1], [[height, 0], [0, 0]])


def _record(wall_time: float, step: int, **landscapes: LossLandscape) -> bytes:
    event = Event(wall_time=wall_time, step=step)
    for tag, message in landscapes.items():
        event.summary.value.add(tag=tag).loss_landscape.CopyFrom(message)
    return framing.frame(event.SerializeToString())


def test_golden_landscapes_equal_those_of_mindinsight(golden: httpx.Client) -> None:
    """Both landscapes of MindSpore's run are exact, although they are in a file of by-products."""
    sees = json.loads((GOLDEN / _RUN / "mindinsight_sees.json").read_text())["digits_momentum"]["landscape"]
    (interval,), (final,) = sees["intervals"][0][1], sees["final"]

    reply = _read(golden)

    assert (reply["total"], reply["missing"]) == (2, [])
    for entry, tag, shown in zip(
        reply["landscapes"], ("landscape_[1, 4]", "landscape_[4]"), (interval, final), strict=True
    ):
        assert (entry["run"], entry["tag"], entry["rank"], entry["step"], entry["steps"]) == (_RUN, tag, 0, 0, [0])
        assert {name: entry[name] for name in "xyz"} == shown["points"]
        assert entry["path"] == shown.get("path")
        assert entry["convergence_point"] == shown["convergence_point"]
        assert entry["metadata"] == {name: shown["metadata"][name] for name in entry["metadata"]}
        assert (entry["kind"], entry["error"]) == ("interval" if "path" in shown else "final", None)
        assert [entry[name] for name in ("level", "measured", "truth", "diagnostics")] == [None, None, None, {}]


def test_newest_landscape_of_a_tag_is_the_default(tmp_path: Path, serve: Serve) -> None:
    """Other landscapes of a series are selected by step; of equal steps the newest one is returned."""
    heights = [(2.0, 5, 1.0), (3.0, 10, 2.0), (4.0, 5, 3.0)]
    write_run(tmp_path, [_record(wall_time, step, a=_surface(height)) for wall_time, step, height in heights])
    client = serve(tmp_path)

    def newest(**query: Any) -> list[tuple[int, float]]:
        return [(entry["step"], entry["z"][0][0]) for entry in _read(client, **query)["landscapes"]]

    assert newest() == [(5, 3.0)]
    assert newest(step=10) == [(10, 2.0)]
    assert newest(step=5) == [(5, 3.0)]
    assert newest(step=7) == []
    assert newest(step=5, publication=0) == [(5, 1.0)]
    assert newest(step=5, publication=1) == []
    assert _read(client)["landscapes"][0]["steps"] == [5, 10]


def test_publications_of_a_tag_are_listed_and_selected(tmp_path: Path, serve: Serve) -> None:
    """Each refinement is a publication: the newest is the default, others are selected by index, 0 is the oldest."""
    levels = [(2.0, 1), (3.0, 2), (4.0, 3)]
    write_run(tmp_path, [_record(wall_time, 0, a=made.bowl(level)) for wall_time, level in levels])
    client = serve(tmp_path)

    def level(**query: Any) -> list[int]:
        return [entry["level"] for entry in _read(client, **query)["landscapes"]]

    assert (level(), level(publication=0), level(publication=1), level(publication=3)) == ([3], [1], [2], [])
    last = _read(client)["landscapes"][0]
    assert (last["publication"], last["publications"]) == (2, {"step": [0, 0, 0], "wall_time": [2.0, 3.0, 4.0]})


def test_details_are_those_recorded(tmp_path: Path, serve: Serve) -> None:
    """Measured nodes, losses of the path and diagnostics equal those recorded, including values that are not finite."""
    write_run(tmp_path, [_record(2.0, 0, a=made.bowl(2))])

    entry = _read(serve(tmp_path))["landscapes"][0]

    measured = entry["measured"]
    assert (entry["level"], measured["levels"], measured["x"]) == (2, 3, [-1, -0.5, 0, 0.5, 1])
    assert (measured["z"][4][4], measured["z"][2][2], measured["known"][0]) == ("Infinity", 0.1, [False] + [True] * 4)
    assert measured["standard_error"] == [[0.01] * 5] * 5
    assert measured["difference_error"] == [[0.002] * 5] * 5
    assert entry["truth"]["gap_error"] == [0.004] * 5
    np.testing.assert_allclose(np.subtract(entry["truth"]["real"], entry["truth"]["plane"]), made.GAP, atol=1e-15)
    assert entry["truth"]["residual"] == [0.5, 0.4, 0.3, 0.2, "NaN"]
    assert entry["path"]["z"] == entry["truth"]["real"]
    diagnostics = entry["diagnostics"]
    assert (diagnostics["energy"], diagnostics["axis_cosine"], diagnostics["seed"]) == ([0.9, 0.06], 0, 7)
    assert diagnostics["provenance"]["axes"] == "plane one"


def test_noise_of_differences_is_that_of_the_recorder(tmp_path: Path, serve: Serve) -> None:
    """Of a real training; errors have two digits where losses are rounded, and are null in files without them."""
    train_with_outliers(tmp_path / "outliers")
    message = made.bowl(2, units=None, differing_nodes=None, random_walk_residual=None)
    message.details.measured.ClearField("difference_error")
    message.details.truth.ClearField("gap_error")
    write_run(tmp_path / "older", [_record(2.0, 0, a=message)])

    older, entry = _read(serve(tmp_path))["landscapes"]

    recorded = newest(tmp_path / "outliers")[TAG].details
    assert recorded is not None
    facts, measured = entry["diagnostics"], entry["measured"]
    assert (facts["is_flat"], facts["units"], facts["samples"]) == (False, 256, 256)
    assert facts["differing_nodes"] == recorded.diagnostics.differing_nodes
    assert facts["random_walk_residual"] == recorded.diagnostics.random_walk_residual
    assert recorded.measured.difference_error is not None
    assert measured["difference_error"] == recorded.measured.difference_error.tolist()
    assert recorded.truth is not None
    assert recorded.truth.gap_error is not None
    assert entry["truth"]["gap_error"] == recorded.truth.gap_error.tolist()
    rounded = _read(serve(tmp_path), run="outliers", digits=9)["landscapes"][0]["measured"]
    np.testing.assert_allclose(rounded["difference_error"], measured["difference_error"], rtol=0.05)
    assert max(len(str(error)) for row in rounded["difference_error"] for error in row) < 10

    assert (older["measured"]["difference_error"], older["truth"]["gap_error"]) == (None, None)
    names = ("units", "differing_nodes", "random_walk_residual")
    assert [older["diagnostics"][name] for name in names] == [None, None, None]


def test_ranks_and_attempts_are_selected(tmp_path: Path, serve: Serve) -> None:
    """The lowest rank is the default, any or all can be selected; likewise an attempt, or the newest of all."""
    for rank, seconds, height in ((1, 100, 1.0), (1, 200, 2.0), (4, 100, 3.0)):
        write_run(tmp_path, [_record(seconds + 1, 5, a=_surface(height))], seconds, rank)
    client = serve(tmp_path)

    def newest(**query: Any) -> list[tuple[int, float]]:
        return [(entry["rank"], entry["z"][0][0]) for entry in _read(client, **query)["landscapes"]]

    assert newest() == [(1, 2.0)]
    assert newest(rank=4) == [(4, 3.0)]
    assert newest(rank=2) == []
    assert newest(rank="all") == [(1, 2.0), (4, 3.0)]
    assert newest(attempt=1) == [(1, 1.0)]
    assert newest(attempt="all") == [(1, 2.0)]


def test_invalid_landscapes_have_an_error_and_others_are_read(tmp_path: Path, serve: Serve) -> None:
    """Mismatched shapes, a missing surface and damaged bytes are the error of that landscape only."""
    torn = _surface(1.0)
    torn.landscape.z.dims[:] = [3, 3]
    garbage = b"\x0a\x07garbage\x52\x02\x0a\x7f"  # tag: "garbage" loss_landscape { landscape: not complete }
    summary = b"\x0a" + bytes([len(garbage)]) + garbage
    damaged = b"\x09" + bytes(8) + b"\x2a" + bytes([len(summary)]) + summary
    records = [
        landscape_event(2.0, "empty", {}),
        _record(3.0, 0, torn=torn, sound=_surface(float("nan"))),
        framing.frame(damaged),
    ]
    write_run(tmp_path, records)

    entries = {entry["tag"]: entry for entry in _read(serve(tmp_path))["landscapes"]}

    assert entries["sound"]["z"] == [["NaN", 0], [0, 0]]
    assert entries["empty"]["error"] == "the landscape has no surface"
    assert entries["torn"]["error"].startswith("z: ")
    assert entries["garbage"]["error"].startswith("Error parsing message")
    for tag in ("empty", "torn", "garbage"):
        assert (entries[tag]["z"], entries[tag]["kind"], entries[tag]["path"]) == ([], None, None)


def test_reply_has_a_bounded_size(tmp_path: Path, serve: Serve) -> None:
    """A landscape beyond the size limit has an error, but can be read alone; `total` counts all despite `limit`."""
    with SummaryRecord(str(tmp_path)) as record:
        for tag, size in (("a", 1000), ("b", 1000), ("c", 20), ("d", 1500)):
            axis = np.linspace(0, 1, size)
            record.add_value("landscape", tag, landscape(axis, axis, np.full((size, size), 0.1)))
            record.record(1)
    client = serve(tmp_path)

    entries = {entry["tag"]: entry for entry in _read(client)["landscapes"]}
    limited = _read(client, limit=1)

    assert {tag: bool(entry["z"]) for tag, entry in entries.items()} == {"a": True, "b": False, "c": True, "d": False}
    assert f"limit of {MAX_BYTES}" in entries["b"]["error"]
    assert (len(limited["landscapes"]), limited["total"]) == (1, 4)
    assert _read(client, tag="b")["landscapes"][0]["z"][999][999] == 0.1
    assert _read(client, tag="d")["landscapes"][0]["error"]


def test_tags_of_other_runs_are_missing_and_unknown_tags_are_404(tmp_path: Path, serve: Serve) -> None:
    """As for scalars: the reply is empty and lists the tag as missing, and 404 only if no run has it."""
    write_run(tmp_path / "a", [_record(2.0, 1, surface=_surface(1.0))])
    loss_run(tmp_path / "b", range(3))
    client = serve(tmp_path)

    of_all_runs = _read(client, tag=["surface", "nothing"])
    of_other_run = _read(client, run="b", tag="surface")

    assert ([entry["tag"] for entry in of_all_runs["landscapes"]], of_all_runs["missing"]) == (["surface"], ["nothing"])
    assert (of_other_run["landscapes"], of_other_run["missing"]) == ([], ["surface"])


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("run=nobody", 404, "'nobody'"),
        ("tag=nothing", 404, "'nothing'"),
        ("rank=first", 422, "rank"),
        ("rank=-1", 422, "rank"),
        ("attempt=0", 422, "attempt"),
        ("step=1e3", 422, "step='1e3'"),
        ("step=99999999999999999999", 422, "step"),
        ("limit=0", 422, "limit='0'"),
        ("publication=-1", 422, "publication='-1'"),
        ("digits=2", 422, "digits='2'"),
        ("typo=1", 422, "typo"),
    ],
)
def test_errors_contain_the_invalid_value(golden: httpx.Client, query: str, status: int, error: str) -> None:
    """The error of every invalid request is one sentence with the parameter and its value."""
    reply = golden.get(f"api/landscapes?{query}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def _figure(document: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the traces and the layout that a document passes to plotly.js."""
    begin = document.rindex("Plotly.newPlot(")
    decoder = json.JSONDecoder()
    traces, end = decoder.raw_decode(document, document.index("[{", begin))
    layout, _ = decoder.raw_decode(document, document.index("{", end))
    return traces, layout


def test_document_is_standalone(golden: httpx.Client) -> None:
    """It contains plotly.js, the grid, the path and the convergence point, and is an attachment."""
    sees = json.loads((GOLDEN / _RUN / "mindinsight_sees.json").read_text())["digits_momentum"]["landscape"]
    shown = sees["intervals"][0][1][0]
    query = {"run": _RUN, "tag": "landscape_[1, 4]"}

    reply = golden.get("api/landscapes.html", params=query).raise_for_status()
    (surface, path, *marks), _ = _figure(reply.text)

    assert reply.headers["content-disposition"] == 'attachment; filename="landscape.html"'
    assert len(reply.content) > 1 << 20
    assert "src=" not in reply.text[: reply.text.index("<body")]
    assert {name: surface[name] for name in "xyz"} == shown["points"]
    assert {name: path[name] for name in "xyz"} == {name: shown["path"][name] for name in "xyz"}
    assert [each["name"] for each in marks] == ["start", "end", "converged"]
    assert [marks[2][name][0] for name in "xyz"] == shown["convergence_point"]
    (in_log, *_), _ = _figure(golden.get("api/landscapes.html", params={**query, "scale": "log", "lang": "zh"}).text)
    assert np.allclose(10.0 ** np.array(in_log["z"]), shown["points"]["z"])
    for wrong in ({"tag": "nothing"}, {"run": "nothing"}):
        assert golden.get("api/landscapes.html", params={**query, **wrong}).status_code == 404


def test_document_has_the_requested_appearance(tmp_path: Path, serve: Serve) -> None:
    """Camera and path colour are as requested; the path is at its own losses, with vertical lines to the plane."""
    write_run(tmp_path, [_record(2.0, 0, a=made.bowl())])
    client = serve(tmp_path)
    query = {"run": ".", "tag": "a", "path_colour": "#123456", "camera": "1,2,0.5,0,0,-0.1"}

    (_, path, stems, *_), layout = _figure(client.get("api/landscapes.html", params=query).raise_for_status().text)

    assert "legendgroup" not in path
    assert layout["scene"]["camera"] == {"eye": {"x": 1, "y": 2, "z": 0.5}, "center": {"x": 0, "y": 0, "z": -0.1}}
    assert (path["line"]["color"], stems["line"]["color"]) == ("#123456", "#123456")
    plane = made.losses(made.ALONG, made.ALONG)
    np.testing.assert_allclose(path["z"], plane + made.GAP)
    np.testing.assert_allclose(stems["z"][:2], [plane[0], plane[0] + made.GAP[0]])
    assert (stems["x"][:3], stems["z"][2]) == ([-0.8, -0.8, None], None)
    np.testing.assert_allclose(path["customdata"][0][1:], [path["z"][0], plane[0], made.GAP[0], made.RESIDUAL[0]])
    assert [layout["scene"][f"{axis}axis"]["title"]["text"] for axis in "xy"] == [
        "principal component 1",
        "principal component 2",
    ]
    for wrong in ({"camera": "1,2,3"}, {"camera": "1,2,3,4,5,nan"}, {"path_colour": "red"}):
        assert client.get("api/landscapes.html", params={**query, **wrong}).status_code == 422


def test_document_has_the_paths_of_all_runs(tmp_path: Path, serve: Serve) -> None:
    """Each path has a legend entry and a colour; a run with another surface is an error."""
    joint, apart = {"axes": "joint", "samples": "s"}, {"axes": "other", "samples": "s"}
    write_run(tmp_path / "a<b>", [_record(2.0, 0, joint=made.bowl(provenance=joint))])
    write_run(
        tmp_path / "b",
        [_record(2.0, 0, apart=made.bowl(provenance=apart), ours=made.bowl(2, shift=0.4, provenance=joint))],
    )
    write_run(tmp_path / "c", [_record(2.0, 0, joint=made.bowl(provenance=apart))])
    client = serve(tmp_path)
    query = {"run": "a<b>", "tag": "joint", "other": ["b"], "path_colour": ["#111111", "#222222"]}

    (_, *parts), layout = _figure(client.get("api/landscapes.html", params=query).raise_for_status().text)

    assert [part["name"] for part in parts if part["showlegend"]] == ["a&lt;b&gt;", "b"]
    first, second = ([part for part in parts if part["legendgroup"] == run] for run in ("a<b>", "b"))
    np.testing.assert_allclose([first[0]["x"], second[0]["x"]], [made.ALONG, made.ALONG + 0.4])
    assert [path[0]["line"]["color"] for path in (first, second)] == ["#111111", "#222222"]
    assert second[0]["customdata"][1][0] == "b · step 4"
    assert [part["name"] for part in second[2:]] == ["b · start", "b · end", "b · converged"]
    assert layout["title"]["text"] == "a&lt;b&gt; · b · joint"
    for other in ("c", "nobody"):
        refused = client.get("api/landscapes.html", params={**query, "other": [other]})
        assert (refused.status_code, repr(other) in refused.json()["detail"]) == (404, True)


def test_document_clips_its_surface(tmp_path: Path, serve: Serve) -> None:
    """Hover texts and the path are not clipped; the legend states that the surface is."""
    write_run(tmp_path, [_record(2.0, 0, a=made.bowl())])
    client = serve(tmp_path)
    axis = np.linspace(-1, 1, 9)
    losses = made.losses(*np.meshgrid(axis, axis))
    for scale, height in (("linear", np.array), ("log", np.log10)):
        query: dict[str, str | float] = {"run": ".", "tag": "a", "top": 1.25, "scale": scale}
        (surface, path, *_), _ = _figure(client.get("api/landscapes.html", params=query).raise_for_status().text)
        np.testing.assert_allclose(surface["z"], height(np.minimum(losses, 1.25)))
        np.testing.assert_allclose(surface["customdata"], losses)
        assert surface["colorbar"]["title"]["text"] == "loss<br>clipped above 1.25"
        np.testing.assert_allclose(path["z"], height(made.losses(made.ALONG, made.ALONG) + made.GAP))


def test_landscapes_as_files(tmp_path: Path, serve: Serve) -> None:
    """NumPy, CSV and VTK files of any publication are attachments; the losses are also available as bytes."""
    uneven = landscape([0, 1, 5], [0, 1], np.zeros((2, 3)))
    write_run(tmp_path, [_record(2.0, 0, a=made.bowl(1)), _record(3.0, 0, a=made.bowl(2, lift=0.3), b=uneven)])
    client = serve(tmp_path)

    def get(what: str, **query: Any) -> httpx.Response:
        return client.get(f"api/landscapes{what}", params={"run": ".", "tag": "a", **query})

    with np.load(io.BytesIO(get(".npz", publication=0).content), allow_pickle=False) as file:
        assert (file["measured_x"].tolist(), file["z"].min()) == ([-1, 0, 1], 0.1)
    assert get(".vti").headers["content-disposition"] == 'attachment; filename="landscape.vti"'
    assert b'WholeExtent="0 8 0 8 0 0"' in get(".vti").content
    assert get(".vtp").headers["content-disposition"] == 'attachment; filename="landscape.vtp"'
    assert get(".csv", publication=0).text.count("\r\nmeasured,") == 8
    assert np.frombuffer(get("/losses").content, "<f8").reshape(9, 9).min() == 0.3
    refused = get(".vti", tag="b")
    assert (refused.status_code, "x is not" in refused.json()["detail"]) == (422, True)
    without_path = get(".vtp", tag="b")
    assert (without_path.status_code, without_path.json()["detail"]) == (422, "the landscape has no path")
    kinds = (".npz", ".csv", ".vti", ".vtp", ".html", "/losses")
    assert [get(what, publication=2).status_code for what in kinds] == [404] * 6


def test_losses_of_a_large_surface_are_omitted_on_request(tmp_path: Path, serve: Serve) -> None:
    """They are available separately as bytes; everything else is in the reply."""
    write_run(tmp_path, [_record(2.0, 0, a=made.bowl())])
    client = serve(tmp_path)

    (without,), (with_losses,) = (_read(client, most=most)["landscapes"] for most in (80, 81))

    assert (without["z"], len(with_losses["z"]), without["error"]) == ([], 9, None)
    assert without["path"] == with_losses["path"]


def test_losses_have_fewer_digits_on_request(tmp_path: Path, serve: Serve) -> None:
    """They are correctly rounded at any magnitude, standard errors have three digits, and the path is exact."""
    extreme = [[1 / 3, -2e300 / 3, 0.0], [5e-324, float("nan"), float("-inf")], [123456.789, 2 / 3e30, 9.9999999]]
    surface = landscape([0, 1, 2], [0, 1 / 3, 2], extreme, path=([1 / 3], [0], [2 / 3]))
    write_run(tmp_path, [_record(2.0, 0, a=surface, b=made.bowl(3, lift=1 / 3))])
    client = serve(tmp_path)

    rounded, bowl = _read(client, digits=6)["landscapes"]

    assert rounded["z"] == [[0.333333, -6.66667e299, 0], [5e-324, "NaN", "-Infinity"], [123457, 6.66667e-31, 10]]
    assert (rounded["y"][1], rounded["path"]["z"]) == (1 / 3, [2 / 3])
    measured = bowl["measured"]
    assert (measured["z"][4][4], measured["standard_error"][0][0], measured["x"][1]) == (0.333333, 0.01, -0.75)
    assert bowl["truth"]["plane"][-1] == 1 / 3
    assert _read(client, tag="a", digits=17)["landscapes"][0]["z"][0] == extreme[0]


def test_document_with_hostile_names_and_losses(tmp_path: Path, serve: Serve) -> None:
    """Names are plain text to the browser and to plotly.js; losses that are not finite are omitted."""
    tag = "<img src=x onerror=alert(1)></title></script><script>alert(2)</script>"
    surface = landscape([0, 1], [0, 1], [[0, -1], [float("nan"), float("inf")]])
    write_run(tmp_path, [_record(2.0, 1, **{tag: surface}), landscape_event(3.0, "broken", {})])
    client = serve(tmp_path)

    document = (
        client.get("api/landscapes.html", params={"run": ".", "tag": tag, "scale": "log"}).raise_for_status().text
    )
    (drawn, *_), layout = _figure(document)

    assert tag not in document
    assert "<script>alert" not in document
    assert layout["title"]["text"].endswith("&lt;script&gt;alert(2)&lt;/script&gt;")
    assert drawn["z"] == [[0, -1], [None, None]]
    refused = client.get("api/landscapes.html", params={"run": ".", "tag": "broken"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "the landscape has no surface")
