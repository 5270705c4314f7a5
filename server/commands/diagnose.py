"""summary-server diagnose: prints what looks wrong in a run."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import Diagnosis
from toposcope.server.questions.diagnosis import diagnose_run
from toposcope.server.questions.opening.opened import Opened


def run(arguments: Sequence[str]) -> int:
    """Diagnose a run; return 1 if there is no such run, or nothing looks wrong."""
    return ask(make_parser(), arguments, answer, lambda found: 0 if found.findings else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(
        "diagnose",
        "Look for what is wrong in a run: values that are not finite, divergence,\nstalls, spikes and plateaus.",
        Diagnosis,
        "Exit status: 0 if something was found; 1 if nothing was; 2 for invalid arguments.",
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: Parser) -> None:
    """Add what the question takes."""
    parser.add_argument("run", metavar="RUN", help="name of a run")


def answer(opened: Opened, options: argparse.Namespace) -> Diagnosis:
    """Answer the question of add_arguments()."""
    return diagnose_run(opened, options.run)
