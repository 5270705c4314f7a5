"""A question as plain data, and the reply to it: what a command prints, and its exit status."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toposcope.server.questions.answers import Answer, json_of
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.words import lines_of
from toposcope.server.text.argument_parser import ArgumentParser
from toposcope.server.text.escaped import escaped

EXIT_STATUS = "Exit status: 0; 1 if nothing matched; 2 for invalid arguments."


class Question(NamedTuple):
    """A question about the runs of a logdir."""

    name: str
    description: str
    """One sentence."""
    answer_type: type[Answer]
    add_arguments: Callable[[ArgumentParser], None]
    """Adds what the question takes."""
    answer: Callable[[Opened, argparse.Namespace], Answer]
    """Answers it. Raises UnknownNameError, ValueError for what is invalid, and OSError."""
    status_of: Callable[[Any], int] = lambda _: 0
    """Returns the exit status for an answer."""
    epilog: str = EXIT_STATUS
    """Says what the exit status means."""
    rows: str | None = None
    """The field of the answer whose items --jsonl prints; None: there is no --jsonl."""


class Reply(NamedTuple):
    """What is printed, and the exit status."""

    status: int
    answer: dict[str, Any] | None
    """With --json or --jsonl."""
    lines: list[str] | None
    """Without; they are safe for terminals."""


def add_forms(parser: argparse.ArgumentParser, question: Question) -> None:
    """Add the options that choose the form of the answer."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    parser.set_defaults(jsonl=None)
    if (rows := question.rows) is not None:
        forms.add_argument(
            "--jsonl", action="store_const", const=rows, help=f"print each of the {rows} as a JSON object in a line"
        )


def parse(question: Question, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse what a command line has for a question.

    Raises:
        ValueError: an argument is unknown, invalid or missing.
    """
    parser = ArgumentParser(f"summary-server {question.name}", add_help=False)
    add_forms(parser, question)
    question.add_arguments(parser)
    return parser.parse_hyphenated(arguments)


def reply_to(question: Question, opened: Opened, options: argparse.Namespace) -> Reply:
    """Return the reply to a question; raises what `question.answer` does."""
    found = question.answer(opened, options)
    if options.json or options.jsonl:
        return Reply(question.status_of(found), json_of(found), None)
    return Reply(question.status_of(found), None, [escaped(line) for line in lines_of(found)])
