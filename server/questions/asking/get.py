"""The question what the points of scalar series are, or of expressions of them."""

import argparse
import math

from toposcope.server.questions.answers import SeriesList
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.metrics import read_series
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.text.argument_parser import ArgumentParser, whole_count

_POINTS = 20


def add_selection(parser: ArgumentParser) -> None:
    """Add the options that select series."""
    parser.add_argument("--run", action="append", default=[], metavar="RUN", help="repeatable; default: all runs")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="a scalar tag; repeatable")
    parser.add_argument("--expr", action="append", default=[], metavar="EXPR", help="an expression; repeatable")
    parser.add_argument(
        "--steps", type=_steps, default=(-math.inf, math.inf), metavar="A:B", help="from step A to step B, included"
    )
    parser.add_argument("--smooth", metavar="HOW", help="auto, ema:WEIGHT, time:HALF_LIFE or median:WINDOW")


def _steps(text: str) -> tuple[float, float]:
    first, colon, last = text.partition(":")
    try:
        steps = (int(first) if first else -math.inf, int(last) if last else math.inf)
    except ValueError:
        colon = ""
    if not colon or steps[0] > steps[1]:
        raise argparse.ArgumentTypeError(f"invalid steps {text!r}: expected A:B, A: or :B, with A <= B")
    return steps


def _add_arguments(parser: ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument(
        "--points", type=whole_count, metavar="N", help=f"about N points; 0: all; default: {_POINTS}, all in JSON"
    )


def _answer(opened: Opened, options: argparse.Namespace) -> SeriesList:
    return selected_series(opened, options, points_of(options))


def points_of(options: argparse.Namespace) -> int:
    """Return about how many points of each series are wanted; 0: all."""
    if options.points is None:
        return 0 if options.json or options.jsonl else _POINTS
    points: int = options.points
    return points


def selected_series(opened: Opened, options: argparse.Namespace, points: int) -> SeriesList:
    """Return the series that the options of add_selection() name.

    Args:
        opened: the logdir.
        options: the arguments.
        points: about how many of each series; 0: all.

    Raises:
        ValueError: no tag and no expression is named.
    """
    if not options.tag and not options.expr:
        raise ValueError("expected at least one --tag or --expr")
    first, last = options.steps
    return read_series(
        opened,
        options.run,
        options.tag,
        options.expr,
        first_step=first,
        last_step=last,
        points=points,
        smooth=options.smooth,
    )


QUESTION = Question(
    "get",
    "Print scalar series, or expressions of them.",
    SeriesList,
    _add_arguments,
    _answer,
    lambda found: 0 if found.series else 1,
    rows="series",
)
