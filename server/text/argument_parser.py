"""Parses the arguments of commands and of questions; errors are exceptions."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn


class ArgumentParser(argparse.ArgumentParser):
    """An argument parser that accepts underscores in flags and no abbreviated flags."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, allow_abbrev=False, **settings)

    def parse_hyphenated(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments, whose options may be anywhere.

        Raises:
            ValueError: an argument is unknown, invalid or missing.
        """
        options, rest = self.parse_known_intermixed_args(hyphenated(arguments))
        if rest:
            advice = f"; see {self.prog} --help" if self.add_help else ""
            self.error(f"unknown argument {rest[0]!r}{advice}")
        return options

    def error(self, message: str) -> NoReturn:
        """Raise a ValueError."""
        raise ValueError(message)


def hyphenated(arguments: Sequence[str]) -> list[str]:
    """Return arguments with hyphens for the underscores in their flags."""
    return [_hyphenate(argument) for argument in arguments]


def _hyphenate(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    flag, equals, value = argument.partition("=")
    return flag.replace("_", "-") + equals + value


def whole_count(text: str) -> int:
    """Parse a number of things.

    Raises:
        argparse.ArgumentTypeError: it is not an integer, or negative.
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"invalid number {text!r}: expected an integer, 0 or greater")
    return int(text[:18])
