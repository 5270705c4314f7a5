"""summary-server best: lists the best runs by a metric."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser, whole_count
from toposcope.server.questions.answers import BestRuns
from toposcope.server.questions.listing import find_best
from toposcope.server.questions.opening.opened import Opened


def run(arguments: Sequence[str]) -> int:
    """List the best runs; return 1 if none has the metric."""
    return ask(make_parser(), arguments, answer, lambda found: 0 if found.runs else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("best", "List the best runs by a metric, the best one first.", BestRuns)
    add_arguments(parser)
    return parser


def add_arguments(parser: Parser) -> None:
    """Add what the question takes."""
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


def answer(opened: Opened, options: argparse.Namespace) -> BestRuns:
    """Answer the question of add_arguments()."""
    return find_best(opened, options.metric, options.search, by=options.by, limit=options.limit)
