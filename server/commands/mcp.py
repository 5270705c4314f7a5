"""summary-server mcp: answers agents by the Model Context Protocol, on standard input and output."""

from collections.abc import Sequence

from toposcope.server.agents.package import check_package
from toposcope.server.agents.skill import SKILL
from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import add_places, places_of
from toposcope.server.process.garbage_collection import freeze_what_is_loaded
from toposcope.server.questions.opening.loading import followed


def run(arguments: Sequence[str]) -> int:
    """Answer until standard input ends."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    freeze_what_is_loaded()
    try:
        check_package("this command")
        from toposcope.server.agents.mcp_server import make_mcp_server

        with followed(places_of(options, *options.logdir)) as opened:
            make_mcp_server(opened).run("stdio")
    except (OSError, ValueError, ModuleNotFoundError) as error:
        parser.error(str(error))
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server mcp",
        "Answer the questions of agents by the Model Context Protocol (MCP), on standard\ninput and output. "
        "Nothing is changed. Needs pip install 'toposcope[agents]'.",
        "Exit status: 0; 2 for invalid arguments.",
    )
    parser.add_argument(
        "--logdir",
        required=True,
        action="append",
        metavar="PLACE",
        help="directory of runs, or address of an object store; repeatable as NAME=PLACE",
    )
    parser.add_printed("--skill", lambda: SKILL, "a skill file, with instructions for agents")
    add_places(parser)
    return parser
