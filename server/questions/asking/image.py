"""The question which bytes a recorded image has."""

from toposcope.server.questions.answers import RecordedImage
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.recorded.images import read_image
from toposcope.server.text.argument_parser import ArgumentParser, whole_count


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("tag", metavar="TAG", help="an image tag")
    parser.add_argument("--step", type=whole_count, metavar="N", help="default: the last one")


QUESTION = Question(
    "image",
    "Write a recorded image to a file, in the format in which it was recorded.",
    RecordedImage,
    _add_arguments,
    lambda opened, options: read_image(opened, options.run, options.tag, options.step),
)
