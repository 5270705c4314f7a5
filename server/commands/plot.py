"""summary-server plot: draws scalar series, or expressions of them, in the terminal."""

import argparse
import dataclasses
import os
import shutil
import sys
from collections.abc import Iterator, Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import logdir_parser, read_logdir, whole_count
from toposcope.server.commands.get import add_selection, selected_series
from toposcope.server.commands.terminal_plot import check_package, plotted
from toposcope.server.questions.answers import Series, SeriesList
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.text.escaped import escaped

_LINES = 20
_POINTS_A_COLUMN = 4


def run(arguments: Sequence[str]) -> int:
    """Draw a chart for each tag and expression."""
    check_package()
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    for text in _charts(read_logdir(parser, options, _ask), options):
        print(text)
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = logdir_parser("plot", "Draw scalar series, or expressions of them, in the terminal.")
    add_selection(parser)
    parser.add_argument("--width", type=whole_count, metavar="N", help="columns; default: those of the terminal")
    parser.add_argument(
        "--height", type=whole_count, default=_LINES, metavar="N", help=f"lines of a chart; default: {_LINES}"
    )
    return parser


def _width(options: argparse.Namespace) -> int:
    return int(options.width or shutil.get_terminal_size().columns)


def _ask(opened: Opened, options: argparse.Namespace) -> SeriesList:
    return selected_series(opened, options, _POINTS_A_COLUMN * _width(options))


def _charts(found: SeriesList, options: argparse.Namespace) -> Iterator[str]:
    """Yield a chart for each tag, in the order of the command line."""
    in_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    by_tag: dict[str, list[Series]] = {}
    for each in found.series:
        by_tag.setdefault(each.tag, []).append(each)
    for tag, series in by_tag.items():
        named = [dataclasses.replace(each, run=escaped(each.run)) for each in series]
        yield plotted(escaped(tag), named, _width(options), options.height, in_colour=in_colour)
    yield from (f"no run has {escaped(name)}" for name in found.missing)
