"""metric_direction(): a table of names of metrics."""

from hypothesis import given
from hypothesis import strategies as st
from support.metric_names import DIRECTION_UNKNOWN, LARGER_IS_BETTER, SMALLER_IS_BETTER

from toposcope.metric_direction import metric_direction, metric_directions


def test_the_direction_is_known_by_the_words_of_the_name() -> None:
    assert [name for name in SMALLER_IS_BETTER if metric_direction(name) != "min"] == []
    assert [name for name in LARGER_IS_BETTER if metric_direction(name) != "max"] == []


def test_a_name_that_does_not_say_has_no_direction() -> None:
    assert metric_directions(DIRECTION_UNKNOWN) == {}


def test_prefixes_and_suffixes_of_loops_do_not_change_the_direction() -> None:
    for name in (*SMALLER_IS_BETTER, *LARGER_IS_BETTER):
        for form in (f"val/{name}", f"eval_{name}", f"validation/{name}", f"test-{name}", f"train.{name}"):
            assert metric_direction(form) == metric_direction(name), form


@given(st.text())
def test_any_text_is_a_name(name: str) -> None:
    assert metric_direction(name) in ("min", "max", None)
