"""What the subcommands that answer questions have in common: DIR, --json, the index, and the exit status."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

import orjson

from toposcope.server.commands.arguments import Parser, is_inside
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.questions.answers import Answer, json_of, schema_of
from toposcope.server.questions.opening.loading import Places, loaded
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.questions.words import lines_of
from toposcope.server.text.escaped import escaped

EXIT_STATUS = "Exit status: 0; 1 if nothing matched; 2 for invalid arguments."
_MOST_PROBLEMS = 10
Found = TypeVar("Found", bound=Answer)


def question_parser(name: str, description: str, answer: type[Answer], epilog: str = EXIT_STATUS) -> Parser:
    """Return a parser with what all questions take; DIR is the first argument."""
    parser = Parser(f"summary-server {name}", description, epilog)
    parser.add_argument("dir", metavar="DIR", help="directory of runs, or the address of an object store")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    parser.add_printed("--schema", lambda: _schema_text(answer), "the JSON Schema of --json")
    add_places(parser)
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
    """Answer a question on standard output, as JSON if the command line says so; return the exit status.

    Args:
        parser: of the command line.
        arguments: the command line.
        question: returns the answer.
        status_of: returns the exit status for an answer.
    """

    def printed(answer: Found, options: argparse.Namespace) -> Iterable[str]:
        return [orjson.dumps(json_of(answer)).decode()] if options.json else map(escaped, lines_of(answer))

    return ask_in_lines(parser, arguments, question, printed, status_of)


def ask_in_lines(
    parser: Parser,
    arguments: Sequence[str],
    question: Callable[[Opened, argparse.Namespace], Found],
    lines: Callable[[Found, argparse.Namespace], Iterable[str]],
    status_of: Callable[[Found], int],
) -> int:
    """Answer a question in lines of text; return the exit status. See ask().

    Args:
        parser: of the command line.
        arguments: the command line.
        question: returns the answer.
        lines: returns what is printed, with names from files escaped.
        status_of: returns the exit status for an answer.
    """
    options = parser.parse_hyphenated(arguments)
    try:
        with no_collections(), loaded(places_of(options, options.dir)) as (opened, problems):
            for path, reason in islice(problems.items(), _MOST_PROBLEMS):
                print(f"cannot read {escaped(path)}: {escaped(reason)}", file=sys.stderr)
            answer = question(opened, options)
    except UnknownNameError as error:
        print(escaped(f"{parser.prog}: {error}"), file=sys.stderr)
        return 1
    except (OSError, ValueError, ModuleNotFoundError) as error:
        parser.error(str(error))
    for line in lines(answer, options):
        print(line)
    return status_of(answer)
