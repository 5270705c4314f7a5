"""The question what differs between runs."""

from toposcope.server.questions.answers import Comparison
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.comparison import compare_runs
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="+", metavar="RUN", help="names of two runs or more")


QUESTION = Question(
    "compare",
    "Compare the hyperparameters and the metrics of runs with those of the first.",
    Comparison,
    _add_arguments,
    lambda opened, options: compare_runs(opened, options.run),
)
