"""The question which texts a run recorded."""

from toposcope.server.questions.answers import Texts
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.recorded.records import read_texts
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("--tag", metavar="TAG", help="a text tag; default: all")


QUESTION = Question(
    "text",
    "Print the texts that a run recorded.",
    Texts,
    _add_arguments,
    lambda opened, options: read_texts(opened, options.run, options.tag),
    lambda found: 0 if found.texts else 1,
)
