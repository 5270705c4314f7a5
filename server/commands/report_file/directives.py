"""The directives of a template: the questions of commands, with their arguments."""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

from toposcope.server.commands import best, compare, diagnose, get, runs, text
from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import whole_count
from toposcope.server.commands.report_file.template import Directive
from toposcope.server.questions.answers import Answer, SeriesList
from toposcope.server.questions.metrics import list_tags, read_series
from toposcope.server.questions.opening.opened import Opened, UnknownNameError

_POINTS = 1000
_MAX_ROWS = 100
_MAX_CHARTS = 12


class _DirectiveParser(Parser):
    """Its errors are exceptions."""

    def __init__(self, name: str) -> None:
        super().__init__(f"::{name}", "")

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)

    def print_help(self, file: object = None) -> NoReturn:
        raise ValueError("--help is an option of commands only")


class _Kind(NamedTuple):
    """A kind of directive: what it takes, and what it shows."""

    add_arguments: Callable[[Parser], None]
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
        parser = _DirectiveParser(directive.name)
        add_arguments(parser)
        return [answer(opened, parser.parse_hyphenated(directive.arguments))]
    except (ValueError, UnknownNameError) as error:
        raise ValueError(f"line {directive.line}, ::{directive.name}: {error}") from None


def _add_run_arguments(parser: Parser) -> None:
    runs.add_arguments(parser)
    parser.set_defaults(limit=_MAX_ROWS)


def _chart(opened: Opened, options: argparse.Namespace) -> SeriesList:
    return get.selected_series(opened, options, _POINTS)


def _charts(opened: Opened, arguments: list[str]) -> Iterator[SeriesList]:
    """Yield a chart of each tag that is found, those of most runs first."""
    parser = _DirectiveParser("charts")
    parser.add_argument("search", nargs="?", default="")
    parser.add_argument("--limit", type=whole_count, default=_MAX_CHARTS)
    options = parser.parse_hyphenated(arguments)
    tags = list_tags(opened, plugin="scalar", search=options.search).tags
    for tag in sorted(tags, key=lambda tag: -tag.runs)[: options.limit]:
        yield read_series(opened, (), [tag.tag], points=_POINTS)


_KINDS = {
    "runs": _Kind(_add_run_arguments, runs.answer),
    "best": _Kind(best.add_arguments, best.answer),
    "chart": _Kind(get.add_selection, _chart),
    "compare": _Kind(compare.add_arguments, compare.answer),
    "text": _Kind(text.add_arguments, text.answer),
    "diagnose": _Kind(diagnose.add_arguments, diagnose.answer),
}
