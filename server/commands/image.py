"""summary-server image: writes a recorded image to a file."""

from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import answered, question_parser, read_command_line
from toposcope.server.questions.asking.image import QUESTION
from toposcope.server.text.escaped import escaped


def run(arguments: Sequence[str]) -> int:
    """Write an image in the format in which it was recorded."""
    line = read_command_line(make_parser(), arguments, ("--out",))
    options = line.options
    found = answered(line._replace(words=["--json", *line.words]), QUESTION).answer
    assert found is not None
    encoded = b64decode(found["content"])
    try:
        Path(options.out).write_bytes(encoded)
    except OSError as error:
        line.parser.error(f"--out {options.out!r} cannot be written: {error.strerror}")
    place = f"{options.tag} at step {found['step']} of {options.run}"
    print(escaped(f"wrote {place} to {options.out}: {len(encoded):,} bytes"))
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(QUESTION)
    QUESTION.add_arguments(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write; it is replaced")
    parser.set_defaults(json=True, jsonl=None)
    return parser
