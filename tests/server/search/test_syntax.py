"""The search syntax."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.search.language.query import Condition, Either, Every, Expression, Not, Query, Words
from toposcope.server.search.language.syntax import Field, SearchError, parse, parse_field


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Every(())),
        ("digits", Words("digits")),
        ('"two words"', Words("two words")),
        ("lr<0.1", Condition("lr", "", "<", "0.1")),
        ("lr < 0.1", Condition("lr", "", "<", "0.1")),
        ("lr==1e-3", Condition("lr", "", "=", "1e-3")),
        ("train/loss>=-2", Condition("train/loss", "", ">=", "-2")),
        ("min(validation/loss)<0.2", Condition("validation/loss", "min", "<", "0.2")),
        ('param("batch size")!=32', Condition("batch size", "param", "!=", "32")),
        ("started>2026-11-22T18:30:00", Condition("started", "", ">", "2026-11-22T18:30:00")),
        ('label:"for paper"', Condition("label", "", ":", "for paper")),
        ("-name:debug", Not(Condition("name", "", ":", "debug"))),
        ('-"two words"', Not(Words("two words"))),
        ("NOT a", Not(Words("a"))),
        ("a b OR c", Either((Every((Words("a"), Words("b"))), Words("c")))),
        ("a AND (b OR -c)", Every((Words("a"), Either((Words("b"), Not(Words("c"))))))),
        (r'"a\"b\\"', Words('a"b\\')),
    ],
)
def test_terms_are_parsed(text: str, query: Query) -> None:
    """Words, conditions, functions, quotes, negation, AND and OR have the documented meaning."""
    assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a', "the quote at character 1 is not closed"),
        ("lr<", "expected a value after lr< at character 4, found the end of the search"),
        ("lr<<1", "expected a value after lr< at character 4, found '<'"),
        ("(a", r"expected '\)' at character 3, found the end of the search"),
        ("a)", r"expected a term at character 2, found '\)'"),
        ("()", "expected a term in the parentheses at character 2"),
        ("a OR", "expected a term on both sides of OR at character 5"),
        ("OR a", "expected a term on both sides of OR"),
        ("a AND OR b", "expected a term on both sides of AND"),
        ("average(loss)<1", "'average' at character 1 is not a function: expected last, min, max, param"),
        ("min(loss)", r"expected a comparison after min\(loss\)"),
        ("- a", "expected a term right after '-'"),
        ("(" * 60 + "a" + ")" * 60, "nested deeper than 50 levels"),
        (" ".join(f"p{number}:1" for number in range(60)), "more than 50 terms"),
        ("x" * 2001, "the search has 2001 characters: expected at most 2000"),
    ],
)
def test_invalid_searches_are_explained(text: str, message: str) -> None:
    """The error names the character and what was expected there."""
    with pytest.raises(SearchError, match=message):
        parse(text)


def test_fields_to_sort_by_are_names_or_functions() -> None:
    """Anything else is an error."""
    assert parse_field("started") == Field("started", "")
    assert parse_field('max("top 1")') == Field("top 1", "max")
    for text in ("", "a b", "lr<1", "-lr", "a OR b", "lr:1"):
        with pytest.raises(SearchError):
            parse_field(text)


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
TERMS = st.builds(Words, TEXTS) | st.builds(
    Condition,
    TEXTS,
    st.sampled_from(["", "last", "min", "max", "param"]),
    st.sampled_from([":", "=", "!=", "<", "<=", ">", ">="]),
    TEXTS,
)
QUERIES = st.recursive(
    TERMS,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(lambda each: Every(tuple(each)), st.lists(inner, min_size=2, max_size=3))
        | st.builds(lambda each: Either(tuple(each)), st.lists(inner, min_size=2, max_size=3))
    ),
    max_leaves=8,
)


def quoted(text: str) -> str:
    """Return a text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def printed(query: Query) -> str:
    """Return a search that is parsed as the query."""
    match query:
        case Words(text):
            return quoted(text)
        case Expression(pattern):
            return "/" + pattern.replace("/", "\\/") + "/"
        case Condition(name, function, operator, value):
            left = f"{function}({quoted(name)})" if function else quoted(name)
            return f"{left}{operator}{quoted(value)}"
        case Not(operand):
            return f"NOT ({printed(operand)})"
        case Every(operands):
            return " ".join(f"({printed(operand)})" for operand in operands)
        case Either(operands):
            return " OR ".join(f"({printed(operand)})" for operand in operands)


@given(QUERIES)
def test_any_query_can_be_written(query: Query) -> None:
    """Quotes and parentheses express every query."""
    assert parse(printed(query)) == query


@given(st.text(st.characters(codec="utf-8", exclude_characters="\\\n"), min_size=1, max_size=8), st.booleans())
def test_any_regular_expression_can_be_written(pattern: str, is_negated: bool) -> None:
    """A slash in it is escaped; spaces, quotes and parentheses need no quotes."""
    query = Expression(pattern)
    assert parse(f"a {printed(query)}") == Every((Words("a"), query))
    assert parse(f"-{printed(query)}") == Not(query)
    assert parse(f"({printed(query)})") == query


def test_a_search_has_three_regular_expressions_at_most() -> None:
    """Each may take seconds."""
    with pytest.raises(SearchError, match="more than 3 regular expressions"):
        parse("/a/ OR /b/ OR /c/ OR /d/")


@given(st.text(st.sampled_from('ab -"()<>=!:*\\ORNDT\n') | st.characters(codec="utf-8"), max_size=30))
def test_any_text_is_a_query_or_an_error(text: str) -> None:
    """Nothing else is raised."""
    with contextlib.suppress(SearchError):
        parse(text)
