"""summary-server diagnose: prints what looks wrong in a run."""

from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import Diagnosis
from toposcope.server.questions.diagnosis import diagnose_run


def run(arguments: Sequence[str]) -> int:
    """Diagnose a run; return 1 if there is no such run, or nothing looks wrong."""
    return ask(
        make_parser(),
        arguments,
        lambda opened, options: diagnose_run(opened, options.run),
        lambda found: 0 if found.findings else 1,
    )


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(
        "diagnose",
        "Look for what is wrong in a run: values that are not finite, divergence,\nstalls, spikes and plateaus.",
        Diagnosis,
        "Exit status: 0 if something was found; 1 if nothing was; 2 for invalid arguments.",
    )
    parser.add_argument("run", metavar="RUN", help="name of a run")
    return parser
