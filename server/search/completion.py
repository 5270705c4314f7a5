"""Completes a search while it is typed: fields, labels, hyperparameters, tags and their values."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.recordings.run_state import State
from toposcope.server.search.fields import FLAGS, NUMBER_FIELDS, TEXT_FIELDS
from toposcope.server.search.search import Vocabulary

Kind = Literal["field", "label", "parameter", "metric", "value"]
_MOST = 20
"""Options of one reply."""
_DIALECTS = ("mindspore", "tensorboard")
_FIXED: Mapping[str, Iterable[str]] = {"state": get_args(State), "is": FLAGS, "dialect": _DIALECTS}
_SPECIAL = re.compile(r'[\s()<>=!:"]|^[-/]|^(?:OR|AND|NOT)$')
"""What must be in quotes."""
_WORD = r'(?:"(?:[^"\\]|\\.)*"|[^\s()<>=!:"]+)'
_PARTIAL = r'(?:"(?P<{0}_quoted>(?:[^"\\]|\\.)*)|(?P<{0}>[^\s()<>=!:"]*))'
_TAIL = re.compile(
    rf"""(?:^|(?<=[\s(]))-?(?:
        (?P<function>last|min|max|param)\((?P<start_1>){_PARTIAL.format("inside")}
      | (?P<name>{_WORD})(?:<=|>=|!=|[:=<>])(?P<start_2>){_PARTIAL.format("value")}
      | (?P<start_3>){_PARTIAL.format("word")}
    )$""",
    re.VERBOSE | re.DOTALL,
)
"""The unfinished term at the end."""


class Option(NamedTuple):
    """A text that may replace the unfinished one."""

    text: str
    kind: Kind
    runs: int | None
    """How many runs have it; None: not counted."""


class Completion(NamedTuple):
    """What may replace the end of a search."""

    start: int
    """Index of the first character that is replaced."""
    options: list[Option]


def complete(search: str, vocabulary: Vocabulary, values_of: Callable[[str], Iterable[Value]]) -> Completion:
    """Return what may follow.

    Args:
        search: up to the place where it is typed.
        vocabulary: the names that it may contain.
        values_of: returns the values of a hyperparameter.
    """
    tail = _TAIL.search(search)
    if tail is None:
        return Completion(len(search), [])
    if tail["function"]:
        start, typed = tail.start("start_1"), _typed(tail, "inside")
        names = vocabulary.parameters if tail["function"] == "param" else vocabulary.metrics
        kind: Kind = "parameter" if tail["function"] == "param" else "metric"
        found = _named(names, typed, kind, ")")
    elif tail["name"]:
        start, typed = tail.start("start_2"), _typed(tail, "value")
        found = _values(_plain(tail["name"]), typed, vocabulary, values_of)
    else:
        start, typed = tail.start("start_3"), _typed(tail, "word")
        found = _words(typed, vocabulary)
    return Completion(start, found[:_MOST])


def _words(typed: str, vocabulary: Vocabulary) -> list[Option]:
    fields = [Option(f"{name}:", "field", None) for name in TEXT_FIELDS]
    fields += [Option(name, "field", None) for name in NUMBER_FIELDS]
    fields += [Option(f"{function}(", "field", None) for function in ("last", "min", "max")]
    named = [option for option in fields if option.text.startswith(typed.casefold())]
    labels = [option._replace(text=f"label:{option.text}") for option in _named(vocabulary.labels, typed, "label")]
    parameters = _named(vocabulary.parameters, typed, "parameter")
    metrics = _named(vocabulary.metrics, typed, "metric")
    each = _MOST // 4 if typed else _MOST
    return [*named, *labels[:each], *parameters[:each], *metrics[:each]]


def _values(name: str, typed: str, vocabulary: Vocabulary, values_of: Callable[[str], Iterable[Value]]) -> list[Option]:
    if name in _FIXED:
        return [Option(text, "value", None) for text in _FIXED[name] if typed.casefold() in text]
    if name == "label":
        return _named(vocabulary.labels, typed, "label")
    if name in TEXT_FIELDS or name not in vocabulary.parameters:
        return []
    texts = sorted({str(value).casefold() if isinstance(value, bool) else str(value) for value in values_of(name)})
    return [Option(_quoted(text), "value", None) for text in texts if typed.casefold() in text.casefold()]


def _named(names: Mapping[str, int], typed: str, kind: Kind, end: str = "") -> list[Option]:
    """Return the names that contain what was typed: first those that begin with it, then those of most runs."""
    part = typed.casefold()
    found = [name for name in names if part in name.casefold()]
    found.sort(key=lambda name: (not name.casefold().startswith(part), -names[name], len(name), name))
    return [Option(_quoted(name) + end, kind, names[name]) for name in found[:_MOST]]


def _typed(tail: re.Match[str], group: str) -> str:
    quoted: str | None = tail[f"{group}_quoted"]
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else tail[group]


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name


def _quoted(text: str) -> str:
    """Return a text as it is written in a search."""
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return f'"{escaped}"' if not text or _SPECIAL.search(text) or "*" in text else text
