"""What the subcommands that answer questions have in common: DIR, --json, the index, and the exit status."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

import orjson

from toposcope.server.commands.arguments import Parser, is_inside
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.questions.answers import Answer, json_of
from toposcope.server.questions.opening.loading import Places, loaded
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.questions.words import lines_of
from toposcope.server.text.escaped import escaped

EXIT_STATUS = "Exit status: 0; 1 if nothing matched; 2 for invalid arguments."
_MAX_PROBLEMS = 10
Found = TypeVar("Found", bound=Answer)
Result = TypeVar("Result")


def logdir_parser(name: str, description: str, epilog: str = EXIT_STATUS) -> Parser:
    """Return a parser of a command that reads a logdir; DIR is the first argument."""
    parser = Parser(f"summary-server {name}", description, epilog)
    parser.add_argument("dir", metavar="DIR", help="directory of runs, or the address of an object store")
    add_places(parser)
    return parser


def question_parser(
    name: str, description: str, answer: type[Answer], epilog: str = EXIT_STATUS, *, rows: str | None = None
) -> Parser:
    """Return a parser with what all questions take.

    Args:
        name: of the subcommand.
        description: one sentence.
        answer: the type of the answer.
        epilog: says what the exit status means.
        rows: the field of the answer whose items --jsonl prints; None: there is no --jsonl.
    """
    parser = logdir_parser(name, description, epilog)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    if rows is not None:
        output.add_argument(
            "--jsonl", action="store_const", const=rows, help=f"print each of the {rows} as a JSON object in a line"
        )
    parser.set_defaults(jsonl=None)
    parser.add_printed("--schema", lambda: _schema_text(answer), "the JSON Schema of --json")
    return parser


def whole_count(text: str) -> int:
    """Parse a number of things.

    Raises:
        argparse.ArgumentTypeError: it is not an integer, or negative.
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"invalid number {text!r}: expected an integer, 0 or greater")
    return int(text[:18])


def _schema_text(answer: type[Answer]) -> str:
    from toposcope.server.commands.schemas import schema_of  # Its packages take a tenth of a second to import.

    return orjson.dumps(schema_of(answer), option=orjson.OPT_INDENT_2).decode()


def add_places(parser: Parser) -> None:
    """Add the options that say where index and notes are, and what is read."""
    parser.add_argument(
        "--index-dir", metavar="DIR", help="directory or address of the index; default: that of summary-server"
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", help="directory or address of notes; default: that of summary-server"
    )
    parser.add_formats()
    parser.add_follow_links()


def places_of(options: argparse.Namespace, *directories: str) -> Places:
    """Return the places that the arguments name.

    Raises:
        ValueError: a directory has no name or one that another has, or the index is inside it.
    """
    logdir = parse_places(directories)
    index_dir = None if options.index_dir is None else os.path.expanduser(options.index_dir)
    local = [address for address in addresses_of(logdir) if not is_remote(address)]
    if index_dir is not None and not is_remote(index_dir) and any(is_inside(index_dir, each) for each in local):
        raise ValueError(f"--index-dir {index_dir!r} is inside DIR, which is read-only")
    return Places(logdir, index_dir, options.data_dir, options.follow_links, options.formats)


def ask(
    parser: Parser,
    arguments: Sequence[str],
    question: Callable[[Opened, argparse.Namespace], Found],
    status_of: Callable[[Found], int],
) -> int:
    """Answer a question on standard output; return the exit status.

    Args:
        parser: of the command line.
        arguments: the command line.
        question: returns the answer.
        status_of: returns the exit status for an answer.
    """
    options = parser.parse_hyphenated(arguments)
    answer = read_logdir(parser, options, question)
    if options.json:
        print(orjson.dumps(json_of(answer)).decode())
    elif options.jsonl:
        for row in json_of(answer)[options.jsonl]:
            print(orjson.dumps(row).decode())
    else:
        for line in lines_of(answer):
            print(escaped(line))
    return status_of(answer)


def read_logdir(
    parser: Parser, options: argparse.Namespace, question: Callable[[Opened, argparse.Namespace], Result]
) -> Result:
    """Return what is found in the logdir; exit with one line if a name is unknown, or if it cannot be read."""
    try:
        with no_collections(), loaded(places_of(options, options.dir)) as (opened, problems):
            for path, reason in islice(problems.items(), _MAX_PROBLEMS):
                print(f"cannot read {escaped(path)}: {escaped(reason)}", file=sys.stderr)
            found = question(opened, options)
            gc.freeze()  # The end of the process need not look for cycles in what was loaded.
            return found
    except UnknownNameError as error:
        parser.exit(1, escaped(f"{parser.prog}: {error}") + "\n")
    except (OSError, ValueError, ModuleNotFoundError) as error:
        parser.error(str(error))
