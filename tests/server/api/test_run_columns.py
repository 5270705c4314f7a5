"""GET and POST /api/runs/columns: the same facts and values as the rows of /api/runs and /api/overview."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from support.cbor import decode_cbor
from support.event_files import GOLDEN, end_event, loss_run, scalar_event, version_event, write_run
from support.server_in_process import served
from support.servers import Serve, wait_until

from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.server.api.listings.run_columns import CodedFact, KeptFact, NumberFact, RunColumns, SparseFact

FACTS = [*get_args(NumberFact), *get_args(CodedFact), *get_args(SparseFact), *get_args(KeptFact)]


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve the golden runs, one that failed, one of two ranks and one with hyperparameters."""
    logdir = tmp_path_factory.mktemp("logdir")
    shutil.copytree(GOLDEN, logdir / "golden")
    failed = end_event(101, "STATE_FAILED", error_type="ValueError", error_text=" bad\nshape ", traceback="...")
    write_run(logdir / "failed", [version_event(), scalar_event(100, 3, {"loss": 0.5}), failed])
    for rank in range(2):
        loss_run(logdir / "ranks", range(3), rank=rank)
    with SummaryRecord(logdir / "settings") as recorder:
        recorder.add_value("custom_lineage_data", "custom", custom_lineage({"lr": 0.1, "amp": True, "layers": 1}))
        recorder.record(1)
    with served(logdir, "--data-dir", str(tmp_path_factory.mktemp("data"))) as client:
        yield client


def columns(client: httpx.Client, *, is_cbor: bool = False, **query: Any) -> dict[str, Any]:
    """Request columns; return the reply."""
    headers = {"Accept": "application/cbor"} if is_cbor else {}
    reply = client.post("api/runs/columns", json=query, headers=headers).raise_for_status()
    if is_cbor:
        decoded: dict[str, Any] = decode_cbor(reply.content)
        return decoded
    content: dict[str, Any] = reply.json()
    RunColumns.model_validate(content, extra="forbid")
    return content


def integers(column: Any) -> Iterable[int]:
    """Return integers, which may be at regular distances."""
    if not isinstance(column, dict):
        return [int(number) for number in column]
    return [column["start"] + column["stride"] * place for place in range(column["count"])]


def values(column: dict[str, Any], runs: int) -> list[Any]:
    """Return the value of each run, None where there is none."""
    if "code" in column:
        return [None if code < 0 else column["value"][code] for code in integers(column["code"])]
    rows = range(runs) if column["row"] is None else integers(column["row"])
    found: list[Any] = [None] * runs
    for row, number in zip(rows, column["number"], strict=True):
        found[row] = number
    return found


def test_facts_are_those_of_the_rows(golden: httpx.Client) -> None:
    """Each fact of each run equals that of its row, in the same order; of an error only the first line is sent."""
    rows = golden.get("api/runs").json()["runs"]
    reply = columns(golden, fact=FACTS)
    assert reply["runs"].split("\0") == [row["run"] for row in rows]
    assert reply["total"] == len(rows)
    bad = {row["run"]: row["first_bad"] for row in golden.get("api/overview").json()["runs"]}
    for name in FACTS:
        for row, value in zip(rows, values(reply["fact"][name], len(rows)), strict=True):
            expected = row.get(name)
            if name == "first_bad":
                expected = bad[row["run"]] and bad[row["run"]]["step"]
            elif name == "error" and expected:
                expected = {"type": "ValueError", "text": "bad"}
            assert value == expected, (row["run"], name)


def test_values_are_those_of_the_overview(golden: httpx.Client) -> None:
    """Statistics of metrics and hyperparameters equal those of the overview; runs without them have none."""
    tags = [row["tag"] for row in golden.get("api/tags", params={"plugin": "scalar"}).json()["tags"]]
    rows = golden.get("api/overview", params={"metric": tags, "sparkline": False}).json()["runs"]
    names = sorted({name for row in rows for name in row["hyper_parameters"]})
    reply = columns(golden, last=tags, min=tags, max=tags, param=names, parameters=True)
    for tag in tags:
        metrics = [row["metrics"].get(tag) for row in rows]
        assert values(reply["last"][tag], len(rows)) == [each and each["last"] for each in metrics]
        for which in ("min", "max"):
            extremes = [each and each[which] and each[which]["value"] for each in metrics]
            found = values(reply[which][tag], len(rows))
            assert [None if value == "NaN" else value for value in found] == extremes
    for name in names:
        expected = [row["hyper_parameters"].get(name) for row in rows]
        found = values(reply["param"][name], len(rows))
        assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]
    summaries = {each["name"]: each for each in reply["parameters"]}
    assert summaries.keys() == set(names)
    assert summaries["lr"]["is_number"]
    assert not summaries["amp"]["is_number"]


def test_cbor_contains_the_same(golden: httpx.Client) -> None:
    """A reply in CBOR has the content of that in JSON."""
    query: dict[str, Any] = {"fact": FACTS, "last": ["loss"], "param": ["lr"], "parameters": True}
    as_json, as_cbor = columns(golden, **query), columns(golden, is_cbor=True, **query)
    runs = as_json["total"]
    for group in ("fact", "last", "param"):
        for name, column in as_json[group].items():
            plain = [
                float(value) if value in ("NaN", "Infinity", "-Infinity") else value for value in values(column, runs)
            ]
            for got, expected in zip(values(as_cbor[group][name], runs), plain, strict=True):
                assert got == expected or (got != got and expected != expected), name


def test_only_runs_that_changed_are_sent(serve: Serve, tmp_path: Path) -> None:
    """With a revision, the reply has the runs that are new or have changed; all, if a run was removed."""
    for run in "abc":
        path = loss_run(tmp_path / run, range(3))
    live = serve(tmp_path)
    query: dict[str, Any] = {"fact": ["last_step"], "last": ["loss"]}
    first = columns(live, **query)
    assert (first["runs"], first["since"]) == ("a\0b\0c", None)
    since = first["revision"]
    again = columns(live, since=since, **query)
    assert (again["runs"], again["since"], again["total"]) == ("", since, 3)

    with path.open("ab") as file:
        file.write(scalar_event(109, 9, {"loss": 7.0}))
    changed = wait_until(lambda: (reply := columns(live, since=since, **query))["runs"] and reply)
    assert (changed["runs"], changed["since"]) == ("c", since)
    assert values(changed["fact"]["last_step"], 1) == [9]
    assert values(changed["last"]["loss"], 1) == [7.0]
    loss_run(tmp_path / "d", range(2))
    assert wait_until(lambda: columns(live, since=changed["revision"], **query)["runs"]) == "d"

    shutil.rmtree(tmp_path / "a")
    rest = wait_until(lambda: (reply := columns(live, since=since, **query))["since"] is None and reply)
    assert set(rest["runs"].split("\0")) == {"b", "c", "d"}


def test_a_revision_of_another_server_is_unknown(golden: httpx.Client) -> None:
    """A revision that this server has not published does not leave out any run."""
    revision = columns(golden)["revision"]
    for since in (0, revision + 1):
        assert columns(golden, since=since)["since"] is None


def test_invalid_requests(golden: httpx.Client) -> None:
    """Unknown facts, and revisions that are none, are refused with the value."""
    assert "'speed'" in golden.get("api/runs/columns?fact=speed").json()["detail"]
    assert golden.get("api/runs/columns?since=-1").status_code == 422


def test_details_of_chosen_runs(golden: httpx.Client) -> None:
    """/api/runs returns the runs that are named, or 404."""
    (row,) = golden.get("api/runs", params={"run": "failed"}).json()["runs"]
    assert row["error"]["traceback"] == "..."
    assert golden.get("api/runs", params={"run": "none"}).status_code == 404
