"""Searching and sorting runs, compared with a slow evaluation of values that were recorded."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import end_event, scalar_event, version_event, write_run

from toposcope.proto import summary_pb2
from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.reading.series.series_summary import SeriesSummary
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.language.literals import Pattern
from toposcope.server.search.language.syntax import SearchError, parse, parse_field
from toposcope.server.search.search import Found, RunSearch

NAN = math.nan


class Recorded(NamedTuple):
    """What a run of the test contains."""

    settings: dict[str, Any]
    losses: list[float]
    notes: RunNotes


RECORDED = {
    "digits/run-2": Recorded({"lr": 0.1, "optimizer": "Adam"}, [3.0, 1.0, 2.0], RunNotes(labels=["paper", "Draft"])),
    "digits/run-10": Recorded({"lr": 0.01, "optimizer": "SGD", "amp": True}, [NAN, 0.5], RunNotes(alias="Best one")),
    "digits/run-1": Recorded({"lr": "auto"}, [5.0, NAN], RunNotes(archived=True, note="diverged late")),
    "words": Recorded({"loss": 7}, [0.25], RunNotes(labels=["paper"])),
    "empty settings": Recorded({}, [-1.0], RunNotes()),
}
NOTES = {name: recorded.notes for name, recorded in RECORDED.items()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, RunView]:
    """Record the runs and load them."""
    logdir = tmp_path_factory.mktemp("logdir")
    for name, recorded in RECORDED.items():
        with SummaryRecord(logdir / name) as recorder:
            if recorded.settings:
                recorder.add_value("custom_lineage_data", "custom", custom_lineage(recorded.settings))
                recorder.record(1)
            for step, loss in enumerate(recorded.losses):
                recorder.add_value("scalar", "loss", loss)
                recorder.record(step)
    return load_logdir(str(logdir)).runs


def find(runs: Mapping[str, RunView], search: str, sort: str = "name", is_descending: bool = False) -> Found:
    """Search with a new table."""
    return RunSearch(Overview()).find(runs, NOTES, parse(search), parse_field(sort), is_descending)


def names(found: Found) -> list[str]:
    """Return the names of the runs that were found."""
    return [run.name for run in found.runs]


RUN_1, RUN_2, RUN_10 = "digits/run-1", "digits/run-2", "digits/run-10"


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("", [RUN_1, RUN_2, RUN_10, "empty settings", "words"]),
        ("DIGITS", [RUN_1, RUN_2, RUN_10]),
        ("best", [RUN_10]),
        ("draft", [RUN_2]),
        ("name:run-1", [RUN_1, RUN_10]),
        ("name=digits/run-1", [RUN_1]),
        ("name=digits/*1", [RUN_1]),
        ("d*run-1", [RUN_1, RUN_10]),
        ("label:paper", [RUN_2, "words"]),
        ("label:pap", []),
        ("label:pap*", [RUN_2, "words"]),
        ("label!=paper", []),
        ("-label:paper", [RUN_1, RUN_10, "empty settings"]),
        ("note:diverged", [RUN_1]),
        ("is:archived", [RUN_1]),
        ("state:finished", [RUN_1, RUN_2, RUN_10, "empty settings", "words"]),
        ("lr<0.1", [RUN_10]),
        ("lr<=1e-1", [RUN_2, RUN_10]),
        ("lr=0.10", [RUN_2]),
        ("lr:auto", [RUN_1]),
        ("lr!=0.1", [RUN_1, RUN_10]),
        ("optimizer:adam", [RUN_2]),
        ("optimizer!=adam", [RUN_10]),
        ("amp:true", [RUN_10]),
        ("loss<1", [RUN_10, "empty settings"]),
        ("last(loss)<1", [RUN_10, "empty settings", "words"]),
        ("min(loss)<=1", [RUN_2, RUN_10, "empty settings", "words"]),
        ("max(loss)>=3", [RUN_1, RUN_2]),
        ("param(loss)>1", ["words"]),
        ("last(loss):nan", [RUN_1]),
        ("step>=2", [RUN_2]),
        ("started>2020-01-01 duration<1h", [RUN_1, RUN_2, RUN_10, "empty settings", "words"]),
        ("started>2999-01-01", []),
        ("attempts=1 ranks=1 name:words", ["words"]),
        ("lr<0.1 OR (label:paper -name:words)", [RUN_2, RUN_10]),
        ("/run-1$/", [RUN_1]),
        ("/^digits\\/run-(2|10)/ -/0$/", [RUN_2]),
        ("/^BEST/ OR /draft/", [RUN_2, RUN_10]),
        ("name:/run-1/", []),
    ],
)
def test_runs_are_found(runs: Mapping[str, RunView], search: str, expected: list[str]) -> None:
    """Names, aliases, labels, notes, states, hyperparameters, metrics and times are compared as documented."""
    assert names(find(runs, search)) == expected


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ("state:broken", "state:broken: expected one of .*failed"),
        ("is:new", "is:new: expected one of live, archived"),
        ("label<3", "label<3: expected ':', '=' or '!='"),
        ("started>soon", "started>soon: expected a date or time"),
        ("duration>1y", "duration>1y: expected a duration"),
        ("step>x", "step>x: expected a number"),
        ("lr<fast", "lr<fast: expected a number"),
        ("min(loss)=low", r"min\(loss\)=low: expected a number"),
        ("/(a/", "not a valid regular expression"),
    ],
)
def test_impossible_values_are_explained(runs: Mapping[str, RunView], search: str, message: str) -> None:
    """The error names the condition and what was expected."""
    with pytest.raises(SearchError, match=message):
        find(runs, search)


def test_unknown_names_are_reported(runs: Mapping[str, RunView]) -> None:
    """A name that no run has as a field, hyperparameter or metric is probably a mistake."""
    assert find(runs, "lrr<1 lr<1 min(los)<3 param(optimiser):adam loss<3").unknown == ["lrr", "los", "optimiser"]


class ReadingOverview(Overview):
    """Remembers which metrics were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = set[str]()

    def summary(self, run: RunView, tag: str) -> tuple[int, SeriesSummary] | None:
        """Remember the tag."""
        self.read.add(tag)
        return super().summary(run, tag)


def test_metrics_that_no_run_has_are_looked_up_in_no_run(runs: Mapping[str, RunView]) -> None:
    """A search with many names that no run has takes no time in proportion to the runs."""
    overview = ReadingOverview()
    unknown = " ".join(f"unknown-{number}<1 -last(missing-{number})<1" for number in range(20))
    found = RunSearch(overview).find(runs, NOTES, parse(f"loss<1 OR ({unknown})"), parse_field("name"), False)
    assert names(found) == [RUN_10, "empty settings"]
    assert len(found.unknown) == 40
    assert overview.read == {"loss"}


@pytest.mark.parametrize(
    ("sort", "ascending"),
    [
        ("name", [RUN_1, RUN_2, RUN_10, "empty settings", "words"]),
        ("alias", [RUN_10, RUN_1, RUN_2, "empty settings", "words"]),
        ("lr", [RUN_10, RUN_2, RUN_1, "empty settings", "words"]),
        ("param(loss)", ["words", RUN_1, RUN_2, RUN_10, "empty settings"]),
        ("last(loss)", ["empty settings", "words", RUN_10, RUN_2, RUN_1]),
        ("max(loss)", ["empty settings", "words", RUN_10, RUN_2, RUN_1]),
    ],
)
def test_runs_are_sorted(runs: Mapping[str, RunView], sort: str, ascending: list[str]) -> None:
    """Numbers are before texts, numbers in texts count by value, runs without a value are last."""
    assert names(find(runs, "", sort)) == ascending


def test_descending_order_keeps_runs_without_a_value_last(runs: Mapping[str, RunView]) -> None:
    """The others are reversed, except that equal ones are by name."""
    assert names(find(runs, "", "last(loss)", True)) == [RUN_2, RUN_10, "words", "empty settings", RUN_1]
    assert names(find(runs, "", "ranks", True)) == names(find(runs, "", "name"))


@given(st.lists(st.tuples(st.sampled_from(sorted(RECORDED)), st.integers(0, 2)), max_size=12), st.data())
def test_a_table_that_was_updated_equals_a_new_one(
    runs: Mapping[str, RunView], changes: list[tuple[str, int]], data: st.DataObject
) -> None:
    """Runs and notes may appear, change and disappear in any order."""
    searches = st.sampled_from(["", "lr<0.1", "label:paper", "loss<1", "max(loss)>=3", "name:run"])
    sorts = st.sampled_from(["name", "lr", "last(loss)", "alias", "started"])
    search, current, notes = RunSearch(Overview()), dict[str, RunView](), dict[str, RunNotes]()
    for name, change in changes:
        if change == 0:
            current = {each: run for each, run in current.items() if each != name}
        elif change == 1:
            current = dict(sorted({**current, name: runs[name]}.items()))
        else:
            notes = notes | {name: NOTES[name] if name not in notes else RunNotes(labels=["paper", name])}
        query, order = parse(data.draw(searches)), parse_field(data.draw(sorts))
        descending = data.draw(st.booleans())
        found = search.find(current, notes, query, order, descending)
        assert found == RunSearch(Overview()).find(current, notes, query, order, descending)


@given(
    st.text(st.sampled_from("ab*-1"), max_size=5), st.lists(st.text(st.sampled_from("aAb-1"), max_size=8), max_size=8)
)
def test_patterns_equal_regular_expressions(pattern: str, texts: list[str]) -> None:
    """A "*" matches what ".*" does."""
    expression = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.IGNORECASE)
    for text in texts:
        assert Pattern(pattern).is_in(text.casefold()) == (expression.search(text) is not None)
        assert Pattern(pattern).equals(text.casefold()) == (expression.fullmatch(text) is not None)


def test_states_of_failed_runs_are_found(tmp_path: Path) -> None:
    """The state is the one that /api/runs reports."""
    start = version_event(1.0, b"session", start=summary_pb2.RecordingStart(process_id=7))
    write_run(tmp_path / "failed", [start, scalar_event(2.0, 1, {"loss": 1.0}), end_event(4.0, "STATE_FAILED")])

    assert names(find(load_logdir(str(tmp_path)).runs, "state:failed")) == ["failed"]
