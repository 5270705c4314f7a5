"""The question whether a condition holds for a run, as a job of continuous integration asks it."""

from toposcope.server.questions.answers import Check
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.checks import check_runs
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("search", nargs="?", default="", metavar="SEARCH", help="which runs; default: all")
    parser.add_argument(
        "--fail-if", required=True, metavar="SEARCH", help="a condition, such as 'max(validation/accuracy) < 0.9'"
    )


QUESTION = Question(
    "check",
    "Fail if a condition holds for a run, or if a run lacks a value that the\ncondition compares.",
    Check,
    _add_arguments,
    lambda opened, options: check_runs(opened, options.fail_if, options.search),
    lambda found: 1 if found.failed or found.lacking else 0,
    "Exit status: 0 if no run fails; 1 if one does, or there is none; 2 for invalid arguments.",
)
