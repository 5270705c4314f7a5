"""summary-server compare: prints what differs between runs."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import Comparison
from toposcope.server.questions.comparison import compare_runs
from toposcope.server.questions.opening.opened import Opened


def run(arguments: Sequence[str]) -> int:
    """Compare runs; return 1 if one does not exist."""
    return ask(make_parser(), arguments, answer, lambda _: 0)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(
        "compare", "Compare the hyperparameters and the metrics of runs with those of the first.", Comparison
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: Parser) -> None:
    """Add what the question takes."""
    parser.add_argument("run", nargs="+", metavar="RUN", help="names of two runs or more")


def answer(opened: Opened, options: argparse.Namespace) -> Comparison:
    """Answer the question of add_arguments()."""
    return compare_runs(opened, options.run)
