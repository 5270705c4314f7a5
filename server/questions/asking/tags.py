"""The question which tags a run has, or all runs have."""

import argparse

from toposcope.server.questions.answers import TagList
from toposcope.server.questions.asking.question import Question
from toposcope.server.questions.metrics import list_tags
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.text.argument_parser import ArgumentParser


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--run", metavar="RUN", help="name of a run; default: all runs")
    parser.add_argument("--plugin", metavar="PLUGIN", help="list only these, such as scalar or image")
    parser.add_argument("--search", default="", metavar="TEXT", help="a part of the name; * stands for any text")


def _answer(opened: Opened, options: argparse.Namespace) -> TagList:
    return list_tags(opened, options.run, plugin=options.plugin, search=options.search)


QUESTION = Question(
    "tags",
    "List the tags of a run, or of all runs together.",
    TagList,
    _add_arguments,
    _answer,
    lambda found: 0 if found.tags else 1,
    rows="tags",
)
