"""Names of the columns of tables, each once."""

from hypothesis import given
from hypothesis import strategies as st

from toposcope.distinct_names import distinct_names


def test_a_repeated_name_gets_the_number_of_its_column() -> None:
    assert distinct_names(["a", 1, "a", "1"]) == ["a", "1", "a (3)", "1 (4)"]


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "a (3) (3)", "b"])))
def test_each_name_occurs_once(columns: list[str]) -> None:
    """Also among columns that are named as if they were repeated."""
    names = distinct_names(columns)

    assert len(set(names)) == len(names) == len(columns)
    assert all(name.startswith(column) for name, column in zip(names, columns, strict=True))
