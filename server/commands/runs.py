"""summary-server runs: lists the runs that match a search."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser, whole_count
from toposcope.server.questions.answers import RunList
from toposcope.server.questions.listing import DEFAULT_COLUMNS, list_runs
from toposcope.server.questions.opening.opened import Opened


def run(arguments: Sequence[str]) -> int:
    """List runs; return 1 if none matches."""
    return ask(make_parser(), arguments, answer, lambda found: 0 if found.runs else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("runs", "List the runs that match a search, oldest first.", RunList, rows="runs")
    add_arguments(parser)
    return parser


def add_arguments(parser: Parser) -> None:
    """Add what the question takes."""
    parser.add_argument("search", nargs="?", default="", metavar="SEARCH", help="as on the page; default: all runs")
    parser.add_argument(
        "--sort", default="started", metavar="KEY", help="a field, hyperparameter or metric; default: %(default)s"
    )
    parser.add_argument("--descending", action="store_true", help="list the largest values first")
    parser.add_argument(
        "--columns",
        default=",".join(DEFAULT_COLUMNS),
        metavar="KEYS",
        help="fields, hyperparameters and metrics, separated by commas; default: %(default)s",
    )
    parser.add_argument("--limit", type=whole_count, metavar="N", help="list at most N runs; default: all")


def answer(opened: Opened, options: argparse.Namespace) -> RunList:
    """Answer the question of add_arguments()."""
    columns = [column.strip() for column in options.columns.split(",") if column.strip()]
    return list_runs(
        opened,
        options.search,
        sort=options.sort,
        descending=options.descending,
        columns=columns,
        limit=options.limit,
    )
