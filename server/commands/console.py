"""summary-server console: prints what a training wrote to stdout and stderr."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser, whole_count
from toposcope.server.questions.answers import ConsoleLines
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.recorded.records import read_console


def run(arguments: Sequence[str]) -> int:
    """Print lines; return 1 if there are none."""
    return ask(make_parser(), arguments, _ask, lambda found: 0 if found.lines else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("console", "Print what a training wrote to stdout and stderr.", ConsoleLines)
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("--search", default="", metavar="TEXT", help="only lines with this text, ignoring case")
    parser.add_argument(
        "--after", type=int, default=0, metavar="N", help="only lines after number N; -N: the last N lines"
    )
    parser.add_argument(
        "--limit", type=whole_count, default=1000, metavar="N", help="at most N lines; default: %(default)s"
    )
    return parser


def _ask(opened: Opened, options: argparse.Namespace) -> ConsoleLines:
    return read_console(opened, options.run, after=options.after, search=options.search, limit=options.limit)
