"""The search syntax: `label:paper lr<0.1 (state:failed OR state:lost) -name:debug min(validation/loss)<0.2`.

Terms are combined by AND, which may be omitted, and by OR, which binds less; `-` or NOT negates the term that follows.
Quotes make one text of what contains spaces or characters of the syntax.
"""

import re
from typing import NamedTuple, get_args

from toposcope.server.search.language.query import (
    Condition,
    Either,
    Every,
    Expression,
    Function,
    Not,
    Operator,
    Query,
    Words,
)

LONGEST = 2000
"""Characters of a search."""
MAX_TERMS = 50
"""Each takes time in proportion to the number of runs, and searches take turns."""
MAX_EXPRESSIONS = 3
"""Regular expressions of a search: each is matched in a process of its own, for seconds if it is a bad one."""
_DEEPEST = 50
"""Parentheses and negations around a term."""
_FUNCTIONS = [name for name in get_args(Function) if name]
_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<open>\() | (?P<close>\))
  | (?P<operator><=|>=|!=|==|[:=<>])
  | (?P<expression>/(?:[^/\\\n]|\\.)+/(?=[\s()]|$))
  | (?P<dash>-(?=/(?:[^/\\\n]|\\.)+/(?:[\s()]|$)))
  | "(?P<quoted>(?:[^"\\]|\\.)*)"
  | (?P<unclosed>")
  | (?P<word>[^\s()<>=!:"]+|!)
    """,
    re.VERBOSE | re.DOTALL,
)
_END = "the end of the search"


class SearchError(ValueError):
    """A search that does not follow the syntax; the message names the character and what was expected."""


class Field(NamedTuple):
    """What runs are sorted by."""

    name: str
    function: Function


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    """Index of the first character."""
    end: int


def parse(text: str) -> Query:
    """Return the parsed search; a search without terms matches every run.

    Raises:
        SearchError: the text does not follow the syntax, or is too long.
    """
    if len(text) > LONGEST:
        raise SearchError(f"the search has {len(text)} characters: expected at most {LONGEST}")
    return _Parser(text).parse()


def parse_field(text: str) -> Field:
    """Return the parsed name of a field to sort by, such as `started`, `lr` or `min(loss)`.

    Raises:
        SearchError: the text is not a name or a function of one.
    """
    condition = parse(f"{text}:*")
    if not isinstance(condition, Condition) or condition.value != "*":
        raise SearchError(f"{text!r} is not a field: expected a name, or last(...), min(...), max(...), param(...)")
    return Field(condition.name, condition.function)


def _tokens(text: str) -> list[_Token]:
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "unclosed":
            raise SearchError(f"the quote at character {match.start() + 1} is not closed")
        content = re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL) if kind == "quoted" else match[0]
        if kind != "space":
            tokens.append(_Token("word" if kind == "dash" else kind, content, match.start(), match.end()))
    return [*tokens, _Token("end", _END, len(text), len(text))]


class _Parser:
    """Recursive descent over the tokens of one search."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self._terms = 0
        self._expressions = 0

    def parse(self) -> Query:
        query = self._either()
        if self._next.kind != "end":
            raise self._expected("a term")
        return query

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _is_word(self, word: str) -> bool:
        return self._next.kind == "word" and self._next.text == word

    def _is_joined(self) -> bool:
        """Return whether no space separates the next token from the one before it."""
        return self._next.start == self._tokens[self._at - 1].end

    def _expected(self, what: str) -> SearchError:
        found = self._next.text if self._next.kind == "end" else repr(self._next.text)
        return SearchError(f"expected {what} at character {self._next.start + 1}, found {found}")

    def _either(self) -> Query:
        operands = [self._every()]
        while self._is_word("OR"):
            self._take()
            if operands[-1] == Every(()) or self._next.kind in ("end", "close"):
                raise self._expected("a term on both sides of OR")
            operands.append(self._every())
        return operands[0] if len(operands) == 1 else Either(tuple(operands))

    def _every(self) -> Query:
        operands: list[Query] = []
        while self._next.kind not in ("end", "close") and not self._is_word("OR"):
            if self._is_word("AND"):
                self._take()
                if not operands or self._next.kind in ("end", "close") or self._is_word("OR"):
                    raise self._expected("a term on both sides of AND")
            operands.append(self._term())
        return operands[0] if len(operands) == 1 else Every(tuple(operands))

    def _term(self) -> Query:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise SearchError(f"the search is nested deeper than {_DEEPEST} levels")
        try:
            return self._nested()
        finally:
            self._depth -= 1

    def _nested(self) -> Query:
        if self._is_word("NOT"):
            self._take()
            return Not(self._term())
        if self._next.kind == "open":
            return self._group()
        if self._next.kind not in ("word", "quoted", "expression"):
            raise self._expected("a term")
        if self._next.kind == "word" and self._next.text.startswith("-"):
            return self._negated()
        return self._comparison()

    def _negated(self) -> Query:
        """Parse a term after "-", which is a token of its own before a quote or a parenthesis."""
        dash = self._next
        if dash.text != "-":
            self._tokens[self._at] = dash._replace(text=dash.text[1:], start=dash.start + 1)
        else:
            self._take()
            if not self._is_joined() or self._next.kind not in ("quoted", "open", "expression"):
                raise self._expected("a term right after '-'")
        return Not(self._term())

    def _group(self) -> Query:
        self._take()
        inner = self._either()
        if self._next.kind != "close":
            raise self._expected("')'")
        if inner == Every(()):
            raise self._expected("a term in the parentheses")
        self._take()
        return inner

    def _comparison(self) -> Query:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise SearchError(f"the search has more than {MAX_TERMS} terms")
        token = self._take()
        if token.kind == "expression":
            return self._expression(token)
        name, function = token.text, ""
        if token.kind == "word" and self._next.kind == "open" and self._is_joined():
            function, name = self._function(token)
        if self._next.kind != "operator":
            if function:
                raise self._expected(f"a comparison after {function}({name})")
            return Words(name)
        operator = self._take().text
        if self._next.kind not in ("word", "quoted", "expression"):
            raise self._expected(f"a value after {name}{operator}")
        return Condition(name, _function(function), _operator(operator), self._value())

    def _expression(self, token: _Token) -> Query:
        self._expressions += 1
        if self._expressions > MAX_EXPRESSIONS:
            raise SearchError(f"the search has more than {MAX_EXPRESSIONS} regular expressions")
        return Expression(token.text[1:-1].replace("\\/", "/"))

    def _function(self, token: _Token) -> tuple[str, str]:
        """Parse the parentheses after the name of a function; return the function and the name in parentheses."""
        if token.text not in _FUNCTIONS:
            expected = ", ".join(_FUNCTIONS)
            raise SearchError(
                f"{token.text!r} at character {token.start + 1} is not a function: expected {expected}, "
                "or quotes around a text with parentheses"
            )
        self._take()
        if self._next.kind not in ("word", "quoted"):
            raise self._expected(f"a name in the parentheses of {token.text}")
        name = self._joined()
        if self._next.kind != "close":
            raise self._expected("')'")
        self._take()
        return token.text, name

    def _value(self) -> str:
        """Parse a value; colons within it, as in 12:30, belong to it."""
        return self._joined()

    def _joined(self) -> str:
        text = self._take().text
        while (self._next.kind in ("word", "quoted") and self._is_joined()) or self._is_joined_colon():
            text += self._take().text
        return text

    def _is_joined_colon(self) -> bool:
        return self._next.kind == "operator" and self._next.text == ":" and self._is_joined()


def _operator(text: str) -> Operator:
    return next(operator for operator in get_args(Operator) if operator == text.replace("==", "="))


def _function(text: str) -> Function:
    return next(function for function in get_args(Function) if function == text)
