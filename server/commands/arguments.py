"""Command-line parsing shared by all subcommands: one-line errors, checks of paths, argument types."""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn

from toposcope.server.text.argument_parser import ArgumentParser


class _Print(argparse.Action):
    """Prints a text, and exits."""

    def __init__(self, option_strings: Sequence[str], dest: str, const: Callable[[], str], help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, const=const, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(self.const().rstrip())
        parser.exit()


class Parser(ArgumentParser):
    """An argument parser of a command: an error is one line, and ends the process."""

    def __init__(self, prog: str, description: str, epilog: str | None = None, **settings: Any) -> None:
        layout = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, description=description, epilog=epilog, formatter_class=layout, **settings)

    def add_follow_links(self) -> None:
        """Add --follow-links."""
        self.add_argument(
            "--follow-links",
            action="store_true",
            help="follow symbolic links of other users that lead out of the logdir; default: those of this user and "
            "of root only",
        )

    def add_formats(self) -> None:
        """Add --formats."""
        self.add_argument(
            "--formats",
            default="all",
            metavar="NAMES",
            help="formats of other tools that are read beside event files, such as lightning,table; or none; default: "
            "all",
        )

    def add_printed(self, flag: str, text: Callable[[], str], what: str) -> None:
        """Add a flag that prints a text and exits, whatever the other arguments are."""
        self.add_argument(flag, action=_Print, const=text, help=f"print {what}, and exit")

    def error(self, message: str) -> NoReturn:
        """Print one line to standard error and exit with status 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def check_listable(name: str, directory: str) -> None:
    """Check that a directory can be listed; `name` is the argument that errors refer to.

    Raises:
        FileNotFoundError: the directory does not exist.
        ValueError: the path is not a directory, or cannot be read.
    """
    try:
        os.listdir(directory)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} {directory!r} does not exist") from None
    except NotADirectoryError:
        raise ValueError(f"{name} {directory!r} is not a directory") from None
    except OSError as error:
        raise ValueError(f"{name} {directory!r} cannot be read: {error.strerror}") from None


def is_inside(path: str, directory: str) -> bool:
    """Return whether a path, which need not exist, is a directory or below it; symbolic links are followed."""
    return (Path(path).resolve() / "x").is_relative_to(Path(directory).resolve())


def whole_number(least: int, what: str, text: str) -> int:
    """Parse an integer argument; `what` is its noun in the error.

    Raises:
        argparse.ArgumentTypeError: the text is not an integer from `least` to 2**31 - 1.
    """
    if not text.isascii() or not text.isdigit() or not least <= int(text[:11]) < 2**31:
        raise argparse.ArgumentTypeError(f"invalid {what} {text!r}: expected an integer, {least} or greater, or all")
    return int(text)


def rank_or_all(text: str) -> int | Literal["all"]:
    """Parse the value of --rank."""
    return "all" if text == "all" else whole_number(0, "rank", text)


def attempt_or_all(text: str) -> int | Literal["all"]:
    """Parse the value of --attempt."""
    return "all" if text == "all" else whole_number(1, "attempt", text)
