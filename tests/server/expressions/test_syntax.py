"""The syntax of expressions: what is accepted, and what is refused with which error."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.expressions.syntax import FUNCTIONS, Call, Number, TagName, Tree, parse, tags_of
from toposcope.server.expressions.tokens import ExpressionError

A, B = TagName("a"), TagName("b")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("validation/loss - train/loss", Call("-", (TagName("validation/loss"), TagName("train/loss")))),
        ("top-1", TagName("top-1")),
        ("a - b - 1", Call("-", (Call("-", (A, B)), Number(1)))),
        ("a + b*2", Call("+", (A, Call("*", (B, Number(2)))))),
        ("-a^2", Call("-", (Call("^", (A, Number(2))),))),
        ("2^-a^b", Call("^", (Number(2), Call("-", (Call("^", (A, B)),))))),
        ("a**.5e1", Call("^", (A, Number(5)))),
        ("+a", A),
        ("(a)", A),
        ("exp(x) / 2", Call("/", (Call("exp", (TagName("x"),)), Number(2)))),
        ("min(a, 1, b)", Call("min", (A, Number(1), B))),
        ("rate", TagName("rate")),
        ("`rate(x) 100 %` * `a``b`", Call("*", (TagName("rate(x) 100 %"), TagName("a`b")))),
        ("损失 + 1", Call("+", (TagName("损失"), Number(1)))),
        (" a ", A),
    ],
)
def test_accepted(text: str, tree: Tree) -> None:
    """Operators have the usual precedence; names contain slashes and hyphens."""
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "found no tag at character 1, expected at least one|found the end at character 1, expected a number, a tag",
        ),
        ("1 + 2", "found no tag at character 1, expected at least one"),
        ("a +", "found the end at character 4, expected a number, a tag, a function or '('"),
        ("a b", "found 'b' at character 3, expected an operator or the end"),
        ("2a", "found 'a' at character 2, expected an operator or the end"),
        ("(a", "found the end at character 3, expected an operator or ')'"),
        ("a)", "found ')' at character 2, expected an operator or the end"),
        ("a $ b", "found '$' at character 3, expected a number, a tag"),
        ("`a", "found '`' at character 1, expected a tag between two backquotes"),
        ("eval(a)", "found the function 'eval' at character 1, expected one of abs, exp"),
        ("exp(a, b)", "found 2 arguments at character 1, expected 1 argument of exp()"),
        ("exp()", "found ')' at character 5, expected a number"),
        ("rate(2) + a", "found a constant as the argument of rate() at character 1"),
        ("a" * 1001, "expected at most 1000"),
        ("(" * 400 + "a" + ")" * 400, "expected at most 200"),
        ("-" * 60 + "a", "expected at most 50 nested parts"),
        ("a\0b", r"found '\x00' at character 2"),
        ("__import__('os')", 'found "\'" at character 12'),
        ("a[0]", "found '[' at character 2"),
        ("a.b:c\n+\t", "found the end at character 8"),
    ],
)
def test_refused(text: str, message: str) -> None:
    """The error names what was found, where, and what was expected."""
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert any(part in str(error.value) for part in message.split("|")), error.value


@given(st.text(st.sampled_from("ab1.+-*/^(),` \nexprate\0é"), max_size=60) | st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """Nothing else happens."""
    with contextlib.suppress(ExpressionError):
        assert tags_of(parse(text))


def _call(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    binary = st.builds(lambda name, *operands: Call(name, operands), st.sampled_from("+-*/^"), children, children)
    unary = st.builds(lambda operand: Call("-", (operand,)), children)
    one = sorted(name for name, counts in FUNCTIONS.items() if len(counts) == 1 and name != "rate")
    function = st.builds(lambda name, operand: Call(name, (operand,)), st.sampled_from(one), children)
    many = st.builds(
        lambda name, operands: Call(name, tuple(operands)), st.sampled_from(["min", "max"]), _few(children)
    )
    return binary | unary | function | many


def _few(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[list[Tree]]:
    return st.lists(children, min_size=1, max_size=3)


TAGS = st.text(min_size=1, max_size=5).map(TagName) | st.sampled_from([A, B, TagName("train/loss-1")])
NUMBERS = st.floats(0, allow_nan=False, allow_infinity=False).map(Number)
TREES: st.SearchStrategy[Tree] = st.recursive(TAGS | NUMBERS, _call, max_leaves=8)


def _text(tree: Tree) -> str:
    """Return a tree as text, with all parentheses."""
    if isinstance(tree, Number):
        return repr(tree.value)
    if isinstance(tree, TagName):
        return "`" + tree.tag.replace("`", "``") + "`"
    operands = [_text(operand) for operand in tree.operands]
    if tree.function in FUNCTIONS:
        return f"{tree.function}({', '.join(operands)})"
    if len(operands) == 1:
        return f"(-{operands[0]})"
    return f"({operands[0]} {tree.function} {operands[1]})"


@given(TREES)
def test_a_printed_tree_is_parsed_back(tree: Tree) -> None:
    """Whatever the names of its tags."""
    if tags_of(tree):
        assert parse(_text(tree)) == tree
