"""The question which runs match a search."""

import argparse

from toposcope.server.questions.answers import RunList
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.listing import DEFAULT_COLUMNS, list_runs
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.text.argument_parser import ArgumentParser, whole_count


def _add_arguments(parser: ArgumentParser) -> None:
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


def _answer(opened: Opened, options: argparse.Namespace) -> RunList:
    columns = [column.strip() for column in options.columns.split(",") if column.strip()]
    return list_runs(
        opened,
        options.search,
        sort=options.sort,
        descending=options.descending,
        columns=columns,
        limit=options.limit,
    )


QUESTION = Question(
    "runs",
    "List the runs that match a search, oldest first.",
    RunList,
    _add_arguments,
    _answer,
    lambda found: 0 if found.runs else 1,
    rows="runs",
)
