"""The syntax of expressions: numbers, tags, + - * / ^, parentheses and functions.

sum     = product {("+" | "-") product}
product = sign {("*" | "/") sign}
sign    = ["-" | "+"] sign | power
power   = value [("^" | "**") sign]
value   = number | tag | "`" tag "`" | function "(" sum {"," sum} ")" | "(" sum ")"
"""

from functools import lru_cache
from typing import NamedTuple

from toposcope.server.expressions.tokens import Token, invalid, tokens

LONGEST = 1000
"""Characters of an expression."""
_MAX_TOKENS, _DEEPEST = 200, 50
_ANY = range(1, 101)
FUNCTIONS = {
    "abs": range(1, 2),
    "exp": range(1, 2),
    "log": range(1, 2),
    "log2": range(1, 2),
    "log10": range(1, 2),
    "max": _ANY,
    "min": _ANY,
    "rate": range(1, 2),
    "sqrt": range(1, 2),
}
"""How many arguments each function takes."""


class Number(NamedTuple):
    """A constant."""

    value: float


class TagName(NamedTuple):
    """The series of a scalar tag."""

    tag: str


class Call(NamedTuple):
    """A function or an operator with its operands; the negative sign is the function "-" of one operand."""

    function: str
    operands: tuple["Tree", ...]


Tree = Number | TagName | Call


@lru_cache(1024)
def parse(text: str) -> Tree:
    """Return the tree of an expression.

    Raises:
        ExpressionError: it is invalid, too long or too deep, or it contains no tag.
    """
    if len(text) > LONGEST:
        raise invalid(text[:50], LONGEST, f"an expression of {len(text)} characters", f"at most {LONGEST}")
    return _Parser(text).whole()


def tags_of(tree: Tree) -> tuple[str, ...]:
    """Return the tags of an expression, each once, in their order."""
    if isinstance(tree, TagName):
        return (tree.tag,)
    if isinstance(tree, Number):
        return ()
    return tuple(dict.fromkeys(tag for operand in tree.operands for tag in tags_of(operand)))


class _Parser:
    """Parses by recursive descent."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = list(tokens(text))
        self._next = 0
        self._depth = 0
        if len(self._tokens) > _MAX_TOKENS:
            raise invalid(text, self._tokens[_MAX_TOKENS].at, "more parts", f"at most {_MAX_TOKENS}")

    def whole(self) -> Tree:
        tree = self._sum()
        if self._token.kind != "end":
            raise self._unexpected("an operator or the end")
        if not tags_of(tree):
            raise invalid(self.text, 0, "no tag", "at least one")
        return tree

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _takes(self, *symbols: str) -> str:
        """Take one of the symbols, if it is next. Return it, or "" if it is not."""
        if self._token.kind == "symbol" and self._token.text in symbols:
            return self._take().text
        return ""

    def _unexpected(self, expected: str) -> ValueError:
        found = repr(self._token.text) if self._token.kind != "end" else "the end"
        return invalid(self.text, self._token.at, found, expected)

    def _sum(self) -> Tree:
        tree = self._product()
        while operator := self._takes("+", "-"):
            tree = Call(operator, (tree, self._product()))
        return tree

    def _product(self) -> Tree:
        tree = self._sign()
        while operator := self._takes("*", "/"):
            tree = Call(operator, (tree, self._sign()))
        return tree

    def _sign(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise invalid(self.text, self._token.at, "a deeper part", f"at most {_DEEPEST} nested parts")
        sign = self._takes("-", "+")
        tree = self._sign() if sign else self._power()
        self._depth -= 1
        return Call("-", (tree,)) if sign == "-" else tree

    def _power(self) -> Tree:
        base = self._value()
        return Call("^", (base, self._sign())) if self._takes("^", "**") else base

    def _value(self) -> Tree:
        if self._takes("("):
            tree = self._sum()
            self._close()
            return tree
        if self._token.kind not in ("number", "name", "quoted"):
            raise self._unexpected("a number, a tag, a function or '('")
        token = self._take()
        if token.kind == "number":
            return Number(float(token.text))
        if token.kind == "quoted":
            return TagName(token.text[1:-1].replace("``", "`"))
        return self._call(token) if self._takes("(") else TagName(token.text)

    def _call(self, name: Token) -> Tree:
        if name.text not in FUNCTIONS:
            raise invalid(self.text, name.at, f"the function {name.text!r}", f"one of {', '.join(FUNCTIONS)}")
        operands = [self._sum()]
        while self._takes(","):
            operands.append(self._sum())
        self._close("',' or ')'")
        self._check(name, operands)
        return Call(name.text, tuple(operands))

    def _check(self, name: Token, operands: list[Tree]) -> None:
        allowed = FUNCTIONS[name.text]
        if len(operands) not in allowed:
            expected = f"{allowed[0]} argument of {name.text}()" if len(allowed) == 1 else f"at most {allowed[-1]}"
            raise invalid(self.text, name.at, f"{len(operands)} arguments", expected)
        if name.text == "rate" and not tags_of(operands[0]):
            raise invalid(self.text, name.at, "a constant as the argument of rate()", "an expression with a tag")

    def _close(self, expected: str = "an operator or ')'") -> None:
        if not self._takes(")"):
            raise self._unexpected(expected)
