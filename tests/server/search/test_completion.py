"""What may follow an unfinished search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.search.completion import complete
from toposcope.server.search.language.syntax import parse
from toposcope.server.search.search import Vocabulary

VOCABULARY = Vocabulary(
    {"lr": 4, "batch size": 2, "optimizer": 3}, {"train/loss": 5, "validation/loss": 3}, {"paper": 2, "for later": 1}
)
VALUES: dict[str, list[bool | int | float | str]] = {
    "optimizer": ["sgd", "Adam"],
    "lr": [0.1, 0.01],
    "batch size": [32],
    "amp": [True],
}


def completed(search: str) -> list[str]:
    """Return the searches that the options lead to."""
    start, options = complete(search, VOCABULARY, lambda name: VALUES.get(name, []))
    return [search[:start] + option.text for option in options]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("sta", ["state:", "started"]),
        ("a -sta", ["a -state:", "a -started"]),
        ("state:f", ["state:failed", "state:finished"]),
        ("is:ar", ["is:archived"]),
        ("(label:la", ['(label:"for later"']),
        ('label:"for', ['label:"for later"']),
        ("pap", ["label:paper"]),
        ("ba", ['"batch size"']),
        ('"batch size":', ['"batch size":32']),
        ("optimizer=ad", ["optimizer=Adam"]),
        ("min(val", ["min(validation/loss)"]),
        ("param(o", ["param(optimizer)"]),
        ("valid", ["validation/loss"]),
        ("name:x", []),
        ("unknown:", []),
        ("min(loss)<", []),
    ],
)
def test_options_continue_the_search(search: str, expected: list[str]) -> None:
    """Fields, labels, hyperparameters, tags and values are offered, in quotes where they need them."""
    assert completed(search) == expected


def test_nothing_typed_lists_what_there_is() -> None:
    """The fields are first."""
    options = completed("")
    assert options[0] == "name:"
    assert len(options) == 20


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.integers(0, 9), max_size=5), st.text(max_size=3))
def test_options_are_valid_searches(names: dict[str, int], typed: str) -> None:
    """Any hostile label or name can be completed, and then means itself."""
    vocabulary = Vocabulary({}, {}, names)
    for option in complete("label:", vocabulary, lambda _: []).options:
        condition = parse(f"label:{option.text}")
        assert getattr(condition, "value", None) in names
    complete(typed, vocabulary, lambda _: [])
