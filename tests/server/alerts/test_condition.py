"""The conditions of rules."""

import re

import pytest
from support.imports import ROOT

from toposcope.server.alerts.rules.condition import Comparison, NotFinite, Recorded, Search, parse
from toposcope.server.expressions.syntax import TagName
from toposcope.server.search.fields import NUMBER_FIELDS
from toposcope.server.search.language import syntax


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("stalled", "state:stalled"),
        ("finished", "state:finished"),
        ("state:failed", "state:failed"),
        ("state:failed label:paper", "state:failed label:paper"),
        ("param(lr)>0.1", "param(lr)>0.1"),
        ("last(loss)<1", "last(loss)<1"),
        ("duration>1.5h", "duration>1.5h"),
        ("step >= 1000", "step >= 1000"),
        ("(state:failed OR state:lost) -name:debug", "(state:failed OR state:lost) -name:debug"),
    ],
)
def test_states_and_searches(text: str, search: str) -> None:
    """A state is a word; a field of the search is not a metric."""
    assert parse(text) == Search(syntax.parse(search))


def test_a_comparison_of_metrics() -> None:
    """With the extremes so far, and how long it must hold."""
    parsed = parse("validation/loss > 1.2 * min(validation/loss) for 500 steps")
    assert isinstance(parsed, Comparison)
    assert (parsed.left.text, parsed.operator, parsed.right.text) == (
        "validation/loss",
        ">",
        "1.2 * min(validation/loss)",
    )
    assert [extreme.function for extreme in parsed.extremes] == ["min"]
    assert (parsed.steps, parsed.seconds) == (500, 0)
    timed = parse("machine/gpu_memory >= 0.95 for 10m")
    assert isinstance(timed, Comparison)
    assert (timed.steps, timed.seconds) == (0, 600)


def test_a_tag_in_backquotes_is_no_operator_and_no_field() -> None:
    """Whatever it contains."""
    for tag in ("a < b", "x=y!", "step"):
        parsed = parse(f"`{tag}` > 2")
        assert isinstance(parsed, Comparison)
        assert (parsed.left.tree, parsed.operator) == (TagName(tag), ">")


def test_other_conditions() -> None:
    """Values that are not finite, and alerts of trainings."""
    assert parse("alert") == Recorded()
    assert isinstance(parse("nan(train/loss)"), NotFinite)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "it is empty: expected a comparison such as"),
        ("stalled for 10m", "`for` follows a comparison of metrics"),
        ("loss > for 500 steps", "`for` follows a comparison of metrics"),
        ("loss > foo(loss) for 5 steps", "the function 'foo'"),
        ("nan(1)", "at least one metric"),
        ("nan(loss", "is none of: a comparison such as"),
        ("loss >", "is none of: a comparison such as"),
    ],
)
def test_what_was_expected(text: str, expected: str) -> None:
    """The message says it."""
    with pytest.raises(ValueError, match=r".") as raised:
        parse(text)
    assert expected in str(raised.value)


def test_the_page_quotes_the_names_of_fields() -> None:
    """A rule of a chart is about its tag, whatever the tag is called."""
    source = (ROOT / "web/data/notes/alert_rule.js").read_text(encoding="utf-8")
    reserved = re.search(r"RESERVED = new Set\(\[(.*?)\]\)", source)
    assert reserved is not None
    assert set(re.findall(r'"(\w+)"', reserved[1])) == set(NUMBER_FIELDS)
