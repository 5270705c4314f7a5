"""summary-server text: prints the texts that a run recorded."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import Texts
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.recorded.records import read_texts


def run(arguments: Sequence[str]) -> int:
    """Print texts; return 1 if there are none."""
    return ask(make_parser(), arguments, answer, lambda found: 0 if found.texts else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("text", "Print the texts that a run recorded.", Texts)
    add_arguments(parser)
    return parser


def add_arguments(parser: Parser) -> None:
    """Add what the question takes."""
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("--tag", metavar="TAG", help="a text tag; default: all")


def answer(opened: Opened, options: argparse.Namespace) -> Texts:
    """Answer the question of add_arguments()."""
    return read_texts(opened, options.run, options.tag)
