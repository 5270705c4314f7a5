"""The question which runs are the best by a metric."""

import argparse

from toposcope.server.questions.answers import BestRuns
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.listing import find_best
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.text.argument_parser import ArgumentParser, whole_count


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("search", nargs="?", default="", metavar="SEARCH", help="as on the page; default: all runs")
    parser.add_argument(
        "--metric",
        required=True,
        metavar="METRIC",
        help="a tag whose name says what is better, or min(TAG) or max(TAG)",
    )
    parser.add_argument("--by", metavar="GROUP", help="the best run of each group: label, regex:PATTERN or param:NAME")
    parser.add_argument(
        "--limit", type=whole_count, default=10, metavar="N", help="list at most N; default: %(default)s"
    )


def _answer(opened: Opened, options: argparse.Namespace) -> BestRuns:
    return find_best(opened, options.metric, options.search, by=options.by, limit=options.limit)


QUESTION = Question(
    "best",
    "List the best runs by a metric, the best one first.",
    BestRuns,
    _add_arguments,
    _answer,
    lambda found: 0 if found.runs else 1,
)
