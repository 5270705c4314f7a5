"""The directions of metrics in /api/tags, /api/overview and /api/lineage."""

from pathlib import Path

from support.event_files import scalar_event, write_run
from support.metric_names import DIRECTION_UNKNOWN, LARGER_IS_BETTER, SMALLER_IS_BETTER
from support.servers import Serve

from toposcope.recorder import SummaryRecord, eval_lineage

_KNOWN = {**dict.fromkeys(SMALLER_IS_BETTER, "min"), **dict.fromkeys(LARGER_IS_BETTER, "max")}
_ALL = [*_KNOWN, *DIRECTION_UNKNOWN]


def test_tags_and_overview_state_the_directions_by_which_callbacks_choose(tmp_path: Path, serve: Serve) -> None:
    write_run(tmp_path / "run", [scalar_event(1, 1, dict.fromkeys(_ALL, 1.0))])
    client = serve(tmp_path)

    for query in ({}, {"run": "run"}):
        rows = client.get("api/tags", params=query | {"directions": "true"}).json()["tags"]
        assert {row["tag"]: row.get("direction") for row in rows} == {**_KNOWN, **dict.fromkeys(DIRECTION_UNKNOWN)}
    assert client.post("api/overview", json={"metric": _ALL}).json()["directions"] == _KNOWN


def test_lineage_states_the_directions_of_metrics(tmp_path: Path, serve: Serve) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("eval_lineage", "eval_lineage", eval_lineage({"Accuracy": 0.5, "loss": 1.0, "foo": 2.0}))
        record.record(1)

    assert serve(tmp_path).get("api/lineage").json()["directions"] == {"Accuracy": "max", "loss": "min"}
