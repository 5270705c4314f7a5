"""The question what looks wrong in a run."""

from toposcope.server.questions.answers import Diagnosis
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.diagnosis import diagnose_run
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="name of a run")


QUESTION = Question(
    "diagnose",
    "Look for what is wrong in a run: values that are not finite, divergence,\nstalls, spikes and plateaus.",
    Diagnosis,
    _add_arguments,
    lambda opened, options: diagnose_run(opened, options.run),
    lambda found: 0 if found.findings else 1,
    "Exit status: 0 if something was found; 1 if nothing was; 2 for invalid arguments.",
)
