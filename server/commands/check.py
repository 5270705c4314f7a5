"""summary-server check: fails if a condition holds for a run, as a job of continuous integration needs it."""

from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import Check
from toposcope.server.questions.checks import check_runs


def run(arguments: Sequence[str]) -> int:
    """Check a condition; return 1 if it holds for a run, or a run lacks a value that it compares."""
    return ask(
        make_parser(),
        arguments,
        lambda opened, options: check_runs(opened, options.fail_if, options.search),
        lambda found: 1 if found.failed or found.lacking else 0,
    )


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(
        "check",
        "Fail if a condition holds for a run, or if a run lacks a value that the\ncondition compares.",
        Check,
        "Exit status: 0 if no run fails; 1 if one does, or there is none; 2 for invalid arguments.",
    )
    parser.add_argument("search", nargs="?", default="", metavar="SEARCH", help="which runs; default: all")
    parser.add_argument(
        "--fail-if", required=True, metavar="SEARCH", help="a condition, such as 'max(validation/accuracy) < 0.9'"
    )
    return parser
