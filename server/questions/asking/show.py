"""The question what is known of a run."""

from toposcope.server.questions.answers import RunFacts
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.comparison import show_run
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="name of a run")


QUESTION = Question(
    "show",
    "Show the state, hyperparameters and metrics of a run.",
    RunFacts,
    _add_arguments,
    lambda opened, options: show_run(opened, options.run),
)
