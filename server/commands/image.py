"""summary-server image: writes a recorded image to a file."""

from collections.abc import Sequence
from pathlib import Path

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import logdir_parser, read_logdir, whole_count
from toposcope.server.questions.recorded.images import read_image
from toposcope.server.text.escaped import escaped


def run(arguments: Sequence[str]) -> int:
    """Write an image in the format in which it was recorded."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    step, encoded = read_logdir(
        parser, options, lambda opened, _: read_image(opened, options.run, options.tag, options.step)
    )
    try:
        Path(options.out).write_bytes(encoded)
    except OSError as error:
        parser.error(f"--out {options.out!r} cannot be written: {error.strerror}")
    print(escaped(f"wrote {options.tag} at step {step} of {options.run} to {options.out}: {len(encoded):,} bytes"))
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = logdir_parser("image", "Write a recorded image to a file, in the format in which it was recorded.")
    parser.add_argument("run", metavar="RUN", help="name of a run")
    parser.add_argument("tag", metavar="TAG", help="an image tag")
    parser.add_argument("--step", type=whole_count, metavar="N", help="default: the last one")
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write; it is replaced")
    return parser
