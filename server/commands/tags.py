"""summary-server tags: lists the tags of a run, or of all runs."""

import argparse
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import TagList
from toposcope.server.questions.metrics import list_tags
from toposcope.server.questions.opening.opened import Opened


def run(arguments: Sequence[str]) -> int:
    """List tags; return 1 if there are none."""
    return ask(make_parser(), arguments, _ask, lambda found: 0 if found.tags else 1)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("tags", "List the tags of a run, or of all runs together.", TagList, rows="tags")
    parser.add_argument("--run", metavar="RUN", help="name of a run; default: all runs")
    parser.add_argument("--plugin", metavar="PLUGIN", help="list only these, such as scalar or image")
    parser.add_argument("--search", default="", metavar="TEXT", help="a part of the name; * stands for any text")
    return parser


def _ask(opened: Opened, options: argparse.Namespace) -> TagList:
    return list_tags(opened, options.run, plugin=options.plugin, search=options.search)
