"""What the command lines of all subcommands share: one line for an error, checks of what is named."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NoReturn


class Parser(argparse.ArgumentParser):
    """Takes flags in full only, underscores in them for hyphens; refuses in one line, with exit status 2."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog, description=description, epilog=epilog, allow_abbrev=False)

    def parse_hyphenated(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse a command line, all of which must be known."""
        options, rest = self.parse_known_args([_hyphenate(argument) for argument in arguments])
        if rest:
            self.error(f"unknown argument {rest[0]!r}; see {self.prog} --help")
        return options

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and one line."""
        self.exit(2, f"{self.prog}: {message}\n")


def _hyphenate(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    flag, equals, value = argument.partition("=")
    return flag.replace("_", "-") + equals + value


def check_listable(name: str, directory: str) -> None:
    """Check that a directory, named by an argument of that name, can be listed.

    Raises:
        FileNotFoundError: it is missing, with a message that says so, as the others have.
        ValueError: it is no directory, or may not be read.
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
    """Say whether a path, which need not exist, is a directory or below it, symbolic links followed."""
    return (Path(path).resolve() / "x").is_relative_to(Path(directory).resolve())


def whole_number(least: int, what: str, text: str) -> int:
    """Return the whole number that text says.

    Raises:
        argparse.ArgumentTypeError: it says none, one below least or one beyond 2**31.
    """
    if not text.isascii() or not text.isdigit() or not least <= int(text[:11]) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is no {what}: expected a whole number from {least} on, or all")
    return int(text)


def rank_or_all(text: str) -> int | Literal["all"]:
    """Return the value of --rank."""
    return "all" if text == "all" else whole_number(0, "rank", text)


def attempt_or_all(text: str) -> int | Literal["all"]:
    """Return the value of --attempt."""
    return "all" if text == "all" else whole_number(1, "attempt", text)
