"""The question what a training wrote to stdout and stderr."""

import argparse

from toposcope.server.questions.answers import ConsoleLines
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.recorded.records import read_console
from toposcope.server.text.argument_parser import ArgumentParser, whole_count


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("--search", default="", metavar="TEXT", help="only lines with this text, ignoring case")
    parser.add_argument(
        "--after", type=int, default=0, metavar="N", help="only lines after number N; -N: the last N lines"
    )
    parser.add_argument(
        "--limit", type=whole_count, default=1000, metavar="N", help="at most N lines; default: %(default)s"
    )


def _answer(opened: Opened, options: argparse.Namespace) -> ConsoleLines:
    return read_console(opened, options.run, after=options.after, search=options.search, limit=options.limit)


QUESTION = Question(
    "console",
    "Print what a training wrote to stdout and stderr.",
    ConsoleLines,
    _add_arguments,
    _answer,
    lambda found: 0 if found.lines else 1,
)
