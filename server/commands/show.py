"""summary-server show: prints what is known of a run."""

from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import ask, question_parser
from toposcope.server.questions.answers import RunFacts
from toposcope.server.questions.comparison import show_run


def run(arguments: Sequence[str]) -> int:
    """Show a run; return 1 if there is no such run."""
    return ask(make_parser(), arguments, lambda opened, options: show_run(opened, options.run), lambda _: 0)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser("show", "Show the state, hyperparameters and metrics of a run.", RunFacts)
    parser.add_argument("run", metavar="RUN", help="name of a run")
    return parser
