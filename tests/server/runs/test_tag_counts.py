"""The number of runs that have each tag."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import scalar_event, write_run

from toposcope.server.loading.load_once import load_logdir
from toposcope.server.runs.run import RunView
from toposcope.server.runs.tag_counts import TagCounts, count_tags

TAGS = {"a": ["x"], "a again": ["x", "y"], "b": ["y"], "c": ["x", "y", "z"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunView]:
    """Write the runs and load them."""
    logdir: Path = tmp_path_factory.mktemp("logdir")
    for name, tags in TAGS.items():
        write_run(logdir / name, [scalar_event(1.0, 1, dict.fromkeys(tags, 1.0))])
    return dict(load_logdir(str(logdir)).runs)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from(sorted(TAGS))), max_size=6))
def test_counts_that_were_updated_equal_new_ones(runs: dict[str, RunView], states: list[dict[str, str]]) -> None:
    """Runs may appear, change and disappear."""
    counts = TagCounts()
    for state in states:
        current = {name: runs[content] for name, content in state.items()}
        tags, runs_of = counts.of(current)
        expected = Counter(tag for run in current.values() for tag in run.tags)
        assert (list(tags), dict(runs_of)) == (sorted(expected), dict(expected))
        assert count_tags(current.values()) == expected
