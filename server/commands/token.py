"""The token of a server: from the command line, a file or the environment, else a random one where it is required."""

import argparse
import os
import re
import secrets
import stat
from pathlib import Path
from typing import NamedTuple

VARIABLE = "TOPOSCOPE_TOKEN"
_LARGEST_FILE = 4096
_EXPECTED = "expected at least 8 of the characters A-Z a-z 0-9 _ . ~ -"


class Token(NamedTuple):
    """What requests must present."""

    value: str | None
    """None if no token is required."""
    is_printed: bool
    """Whether the URL that the server prints contains it: it does not where the user chose the token."""


def token_argument(text: str) -> str:
    """Parse the value of --token.

    Raises:
        argparse.ArgumentTypeError: it is too short, or has other characters.
    """
    if not _is_valid(text):
        raise argparse.ArgumentTypeError(f"invalid token: {_EXPECTED}")
    return text


def choose_token(argument: str | None, file: str | None, is_refused: bool, is_needed: bool) -> Token:
    """Return the token of a server. The command line takes precedence over the environment.

    Args:
        argument: the value of --token.
        file: the value of --token-file; it is created with a random token if it does not exist.
        is_refused: --no-token.
        is_needed: a random token is made if there is no other.

    Raises:
        ValueError: the file or the variable contains no valid token, or others can read the file.
        OSError: the file can neither be read nor created; the message contains the reason.
    """
    if argument is not None:
        return Token(argument, is_printed=True)  # Every user of the machine can read the command line already.
    if file is not None:
        return Token(_token_of_file(Path(file)), is_printed=False)
    if is_refused:
        return Token(None, is_printed=False)
    if (text := _token_of_environment()) is not None:
        return Token(text, is_printed=False)
    return Token(secrets.token_urlsafe(24) if is_needed else None, is_printed=True)


def known_token(file: str | None) -> str | None:
    """Return the token of a server that runs: that of a file, else that of the environment; None if there is none.

    Raises:
        ValueError: the file or the variable contains no valid token, or others can read the file.
        OSError: the file cannot be read; the message contains the reason.
    """
    if file is None:
        return _token_of_environment()
    try:
        return _read(Path(file))
    except OSError as error:
        raise _unreadable(Path(file), error) from None


def _token_of_environment() -> str | None:
    text = os.environ.get(VARIABLE)
    if text is not None and not _is_valid(text):
        raise ValueError(f"the token in the environment variable {VARIABLE} is invalid: {_EXPECTED}")
    return text


def _is_valid(text: str) -> bool:
    return re.fullmatch(r"[\w.~-]{8,}", text, re.ASCII) is not None


def _token_of_file(path: Path) -> str:
    try:
        return _read(path)
    except FileNotFoundError:
        return _create(path)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> OSError:
    return OSError(f"--token-file {str(path)!r} cannot be read: {error.strerror}")


def _read(path: Path) -> str:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
            raise ValueError(
                f"--token-file {str(path)!r} is accessible to other users (mode {status.st_mode & 0o777:o}): "
                f"run chmod 600 {str(path)!r}"
            )
        content = file.read(_LARGEST_FILE)
    text = content.decode("utf-8", "replace").strip()
    if not _is_valid(text):
        raise ValueError(f"--token-file {str(path)!r} contains no valid token: {_EXPECTED}")
    return text


def _create(path: Path) -> str:
    """Write a file that only the user can read."""
    token = secrets.token_urlsafe(24)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token + "\n")
    except OSError as error:
        raise OSError(f"--token-file {str(path)!r} cannot be created: {error.strerror}") from None
    return token
