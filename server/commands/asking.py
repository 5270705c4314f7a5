"""What the subcommands that answer questions have in common: DIR or --server, the index, --json, the exit status."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, TypeVar

import orjson

from toposcope.server.commands.arguments import Parser, is_inside
from toposcope.server.commands.token import VARIABLE, known_token
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.questions.answers import Answer
from toposcope.server.questions.asking.question import EXIT_STATUS, Question, Reply, add_forms, reply_to
from toposcope.server.questions.opening.loading import Places, loaded
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.text.argument_parser import hyphenated
from toposcope.server.text.escaped import escaped

_MAX_PROBLEMS = 10
_OF_DIR = ("index_dir", "data_dir", "formats", "follow_links")
Result = TypeVar("Result")


def logdir_parser(name: str, description: str, epilog: str = EXIT_STATUS) -> Parser:
    """Return a parser of a command that reads a logdir; DIR is the first argument."""
    parser = Parser(f"summary-server {name}", description, epilog)
    parser.add_argument("dir", metavar="DIR", help="directory of runs, or the address of an object store")
    add_places(parser)
    return parser


def make_parser(question: Question) -> Parser:
    """Return the parser of the command line of a question."""
    parser = question_parser(question)
    add_forms(parser, question)
    parser.add_printed("--schema", lambda: _schema_text(question.answer_type), "the JSON Schema of --json")
    question.add_arguments(parser)
    return parser


def question_parser(question: Question) -> Parser:
    """Return a parser of a command that asks a logdir or a server; it lacks the arguments of the question."""
    parser = logdir_parser(question.name, question.description, question.epilog)
    parser.add_argument("--server", metavar="URL", help="ask a running summary-server; there is no DIR then")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"file that contains the token of the server; default: that of the URL, else the variable {VARIABLE}",
    )
    return parser


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


class CommandLine(NamedTuple):
    """A command line that asks a question."""

    parser: Parser
    options: argparse.Namespace
    words: list[str]
    """What a server is sent: it lacks what is said to this side only."""


def read_command_line(parser: Parser, arguments: Sequence[str], own_flags: Sequence[str] = ()) -> CommandLine:
    """Parse a command line. With --server, its URL stands for DIR.

    Args:
        parser: from question_parser().
        arguments: the command line.
        own_flags: flags with a value that are no arguments of the question.
    """
    own = Parser(parser.prog, "", add_help=False)
    for flag in ("--server", "--token-file", *own_flags):
        own.add_argument(flag)
    found, words = own.parse_known_args(hyphenated(arguments))
    options = parser.parse_hyphenated(arguments if found.server is None else [found.server, *arguments])
    if options.server is None and options.token_file is not None:
        parser.error(f"--token-file {options.token_file!r} needs --server")
    for name in _OF_DIR if options.server is not None else ():
        if getattr(options, name) != parser.get_default(name):
            parser.error(f"--{name.replace('_', '-')} says how to read DIR: omit it with --server")
    return CommandLine(parser, options, words)


def ask(question: Question, arguments: Sequence[str]) -> int:
    """Answer a question on standard output; return the exit status."""
    line = read_command_line(make_parser(question), arguments)
    reply = answered(line, question)
    if reply.answer is None:
        for text in reply.lines or ():
            print(escaped(text))
    else:
        for each in reply.answer[line.options.jsonl] if line.options.jsonl else [reply.answer]:
            print(orjson.dumps(each).decode())
    return reply.status


def answered(line: CommandLine, question: Question) -> Reply:
    """Return the reply to a question; exit with one line if there is none."""
    if line.options.server is None:
        return read_logdir(line.parser, line.options, lambda opened, options: reply_to(question, opened, options))
    from toposcope.server.commands.remote import ask_server

    with _errors_in_one_line(line.parser):
        return ask_server(line.options.server, known_token(line.options.token_file), question.name, line.words)


def read_logdir(
    parser: Parser, options: argparse.Namespace, question: Callable[[Opened, argparse.Namespace], Result]
) -> Result:
    """Return what is found in the logdir; exit with one line if a name is unknown, or if it cannot be read."""
    with _errors_in_one_line(parser), no_collections(), loaded(places_of(options, options.dir)) as (opened, problems):
        for path, reason in islice(problems.items(), _MAX_PROBLEMS):
            print(f"cannot read {escaped(path)}: {escaped(reason)}", file=sys.stderr)
        found = question(opened, options)
        gc.freeze()  # The end of the process need not look for cycles in what was loaded.
        return found


@contextmanager
def _errors_in_one_line(parser: Parser) -> Iterator[None]:
    try:
        yield
    except UnknownNameError as error:
        parser.exit(1, escaped(f"{parser.prog}: {error}") + "\n")
    except (OSError, ValueError, ModuleNotFoundError) as error:
        parser.error(escaped(str(error)))
