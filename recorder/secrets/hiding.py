"""Secrets: hides what is probably secret in a command line or a text before it is recorded.

A secret is recognised by the name before it, by its form, or because an environment variable or an argument whose name
indicates a secret has it as its value. Rather too much is hidden than too little.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from toposcope.recorder.secrets.marked_secrets import marked_secrets, without_colours
from toposcope.recorder.secrets.named_secrets import merged, named_secrets
from toposcope.recorder.secrets.secret_forms import passwords_in_urls, secrets_by_form
from toposcope.recorder.secrets.secret_names import names_secret

HIDDEN = "***"
"""The replacement of a secret."""

_MAX_CHARACTERS = 4000
_MIN_SECRET = 8  # A shorter value of a variable may occur in a text by chance.
_DIRECTORIES = {"PWD", "OLDPWD"}  # Variables of the shell that contain directories.
_FLAG = re.compile(r"-{1,2}(?P<name>[A-Za-z][\w.\-]*)")
_ASSIGNMENT = re.compile(r"(?P<name>[+~\-]*[A-Za-z][\w.\-/]*)=(?P<value>.+)", re.DOTALL)
_PART_OF_LINE = re.compile(r"[^\n]+")


def command_line(argv: Iterable[str], max_characters: int = _MAX_CHARACTERS) -> str:
    """Return argv as one shell-quoted line of at most max_characters characters, with secrets replaced by "***".

    Hidden are: all values after a flag whose name indicates a secret (--token, --api_key, --password, ...), up to the
    next flag; the values of assignments with such names; and whatever hide_secrets() hides.
    """
    line = shlex.join(_without_secrets(argv)).replace(shlex.quote(HIDDEN), HIDDEN)
    return line if len(line) <= max_characters else line[: max_characters - 4] + " ..."


def hide_secrets(text: str, environment: Mapping[str, str] | None = None, argv: Iterable[str] | None = None) -> str:
    """Return text with secrets replaced by "***"; the number of lines stays the same.

    Hidden are the values of named_secrets() and marked_secrets(), the forms of secrets_by_form(), and anywhere in text
    the values of environment variables and arguments whose names indicate secrets, if they have at least 8 characters.

    Args:
        text: a line of output, a traceback, a diff, ...
        environment: the environment variables; None: os.environ.
        argv: the command line; None: sys.argv.

    The time is proportional to the length of text: about 0.1 s for a diff of one megabyte.
    """
    known = secret_values(os.environ if environment is None else environment)
    known += secret_arguments(sys.argv if argv is None else argv)
    return _hide(text, _longest_first(known))


def secret_values(environment: Mapping[str, str]) -> list[str]:
    """Return the lines of the values of environment variables with secret names, and the passwords in URLs."""
    values: list[str] = []
    for name, value in environment.items():
        if name not in _DIRECTORIES and names_secret(name.upper()):
            values += value.splitlines()
        elif "://" in value:
            values += passwords_in_urls(value)
    return _long_enough(values)


def secret_arguments(argv: Iterable[str]) -> list[str]:
    """Return the values in argv that belong to flags or names that indicate secrets."""
    try:
        return list(_secret_arguments(tuple(islice(map(str, argv), _MAX_CHARACTERS))))
    except Exception:  # sys.argv may contain anything.
        return []


@lru_cache(maxsize=4)
def _secret_arguments(argv: tuple[str, ...]) -> tuple[str, ...]:
    values: list[str] = []
    for argument, is_secret in _marked(argv):
        assignment = _ASSIGNMENT.fullmatch(argument)
        if is_secret:
            values.append(argument)
        elif assignment and names_secret(assignment["name"]):
            values.append(assignment["value"])
    return tuple(_long_enough(values))


def _long_enough(values: Iterable[str]) -> list[str]:
    return [value for value in map(str.strip, values) if len(value) >= _MIN_SECRET]


def _without_secrets(argv: Iterable[str]) -> Iterator[str]:
    arguments = [argument[: 2 * _MAX_CHARACTERS] for argument in islice(map(str, argv), _MAX_CHARACTERS)]
    known = _longest_first(secret_values(os.environ) + secret_arguments(arguments))
    for argument, is_secret in _marked(arguments):
        yield HIDDEN if is_secret else _shown(argument, known)


def _marked(argv: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each argument, and whether it is a value of a flag whose name indicates a secret."""
    is_secret, is_after_flag = False, False
    for argument in argv:
        flag = _FLAG.fullmatch(argument)
        # An argument with a single dash right after a secret flag may be its value.
        if argument.startswith("--") or (flag and not (is_secret and is_after_flag)):
            is_secret, is_after_flag = flag is not None and names_secret(flag["name"]), True
            yield argument, False
        else:
            is_after_flag = False
            yield argument, is_secret


def _longest_first(values: Iterable[str]) -> list[str]:
    return sorted(set(values), key=len, reverse=True)


def _shown(argument: str, known: Iterable[str]) -> str:
    assignment = _ASSIGNMENT.fullmatch(argument)
    if assignment and names_secret(assignment["name"]):
        return f"{assignment['name']}={HIDDEN}"
    return _hide(argument, known)


def _hide(text: str, known: Iterable[str]) -> str:
    for secret in known:
        text = text.replace(secret, HIDDEN)
    parts, position = [], 0
    plain = without_colours(text)
    for start, end in merged([*secrets_by_form(plain), *named_secrets(plain), *marked_secrets(plain)]):
        parts += [text[position:start], _PART_OF_LINE.sub(HIDDEN, text[start:end])]
        position = end
    return "".join(parts) + text[position:]
