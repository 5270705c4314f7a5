"""The directives of a template: the questions of commands, with their arguments."""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

from toposcope.server.commands.report_file.template import Directive
from toposcope.server.questions.answers import Answer, SeriesList
from toposcope.server.questions.asking import best, compare, diagnose, get, runs, text
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.metrics import list_tags, read_series
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.text.argument_parser import ArgumentParser, whole_count

_POINTS = 1000
_MAX_ROWS = 100
_MAX_CHARTS = 12


class _Kind(NamedTuple):
    """A kind of directive: what it takes, and what it shows."""

    add_arguments: Callable[[ArgumentParser], None]
    answer: Callable[[Opened, argparse.Namespace], Answer]


def answers_to(opened: Opened, directive: Directive) -> list[Answer]:
    """Return what a directive shows.

    Raises:
        ValueError: it is unknown, an argument is invalid, or nothing has the name; the message has directive and line.
    """
    try:
        if directive.name == "charts":
            return list(_charts(opened, directive.arguments))
        if directive.name not in _KINDS:
            raise ValueError(f"unknown; known are {', '.join([*_KINDS, 'charts'])}")
        add_arguments, answer = _KINDS[directive.name]
        parser = ArgumentParser(f"::{directive.name}", add_help=False)
        add_arguments(parser)
        return [answer(opened, parser.parse_hyphenated(directive.arguments))]
    except (ValueError, UnknownNameError) as error:
        raise ValueError(f"line {directive.line}, ::{directive.name}: {error}") from None


def _add_run_arguments(parser: ArgumentParser) -> None:
    runs.QUESTION.add_arguments(parser)
    parser.set_defaults(limit=_MAX_ROWS)


def _chart(opened: Opened, options: argparse.Namespace) -> SeriesList:
    return get.selected_series(opened, options, _POINTS)


def _charts(opened: Opened, arguments: list[str]) -> Iterator[SeriesList]:
    """Yield a chart of each tag that is found, those of most runs first."""
    parser = ArgumentParser("::charts", add_help=False)
    parser.add_argument("search", nargs="?", default="")
    parser.add_argument("--limit", type=whole_count, default=_MAX_CHARTS)
    options = parser.parse_hyphenated(arguments)
    tags = list_tags(opened, plugin="scalar", search=options.search).tags
    for tag in sorted(tags, key=lambda tag: -tag.runs)[: options.limit]:
        yield read_series(opened, (), [tag.tag], points=_POINTS)


def _kind(question: Question) -> _Kind:
    return _Kind(question.add_arguments, question.answer)


_KINDS = {
    "runs": _Kind(_add_run_arguments, runs.QUESTION.answer),
    "best": _kind(best.QUESTION),
    "chart": _Kind(get.add_selection, _chart),
    "compare": _kind(compare.QUESTION),
    "text": _kind(text.QUESTION),
    "diagnose": _kind(diagnose.QUESTION),
}
