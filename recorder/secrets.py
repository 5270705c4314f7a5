"""Secrets: hides what is probably secret in a command line or a text before it is recorded."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

HIDDEN = "***"
"""The replacement of a secret."""

_MAX_CHARACTERS = 4000
_MIN_SECRET = 8  # A shorter value of an environment variable may occur in a text by chance.
_DIRECTORIES = {"PWD", "OLDPWD"}  # Variables of the shell that contain directories.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = {"apikey", "credential", "credentials", "passphrase", "passwd", "password", "pwd", "secret", "secrets"}
# Words that name a secret only at the end of a name: token_dim is not a secret. "key" is one by itself or after one of
# the kinds of keys.
_SECRET_AT_END = {"auth", "authorization", "bearer", "cookie", "pass", "pat", "sig", "signature", "token"}
_KINDS_OF_KEY = {"access", "account", "api", "auth", "dec", "decryption", "enc", "encryption", "license", "private"}
_KINDS_OF_KEY |= {"service", "shared", "signing", "ssh"}

_FLAG = re.compile(r"-{1,2}(?P<name>[A-Za-z][\w.\-]*)")
_ASSIGNMENT = re.compile(r"(?P<name>[+~\-]*[A-Za-z][\w.\-/]*)=(?P<value>.+)", re.DOTALL)
_ENTRY = re.compile(r"""(?<![\w.\-])(?P<name>[\w.\-]+)["']?\s*[=:]\s*(?P<quote>["']?)""")
_END_OF_VALUE = r"""[\s"'&;]"""
_USER = re.compile(r"(?<![\w+.\-])(?P<scheme>[\w+.\-]+://)[^/\s]*@")
_SCHEME_OF_HEADER = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[^\s\"']+", re.IGNORECASE)
# Prefixes of the tokens of Hugging Face, OpenAI, GitHub, GitLab, Slack, AWS and Google, and of JSON Web Tokens.
_KNOWN_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:hf_|sk-|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|A[KS]IA|AIza|eyJ)[\w.\-]{16,}"
)


def command_line(argv: Iterable[str], max_characters: int = _MAX_CHARACTERS) -> str:
    """Return argv as one shell-quoted line of at most max_characters characters, with secrets replaced by "***".

    Hidden are: all values after a flag whose name indicates a secret (--token, --api_key, --password, ...), up to the
    next flag; the values of assignments, URL parameters and JSON entries with such names; users and passwords in URLs;
    the text after "Bearer" or "Basic"; tokens of well-known services and the values of environment variables with such
    names anywhere.
    """
    line = shlex.join(_without_secrets(argv)).replace(shlex.quote(HIDDEN), HIDDEN)
    return line if len(line) <= max_characters else line[: max_characters - 4] + " ..."


def hide_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return text with secrets replaced by "***"; the number of lines stays the same.

    Args:
        text: a line of output, a traceback, a diff.
        environment: the environment variables, those with secret names have secret values; None: os.environ.
    """
    for secret in secret_values(os.environ if environment is None else environment):
        text = text.replace(secret, HIDDEN)
    return _without_secret_text(text)


def secret_values(environment: Mapping[str, str]) -> list[str]:
    """Return the values of environment variables with secret names, the longest first; a value's lines each."""
    values = [value for name, value in environment.items() if names_secret(name) and name not in _DIRECTORIES]
    lines = {line.strip() for value in values for line in value.splitlines()}
    return sorted((line for line in lines if len(line) >= _MIN_SECRET), key=len, reverse=True)


def _without_secrets(argv: Iterable[str]) -> Iterator[str]:
    is_secret, is_after_flag = False, False
    for argument in islice(map(str, argv), _MAX_CHARACTERS):
        argument = argument[: 2 * _MAX_CHARACTERS]
        flag = _FLAG.fullmatch(argument)
        # An argument with a single dash right after a secret flag may be its value.
        if argument.startswith("--") or (flag and not (is_secret and is_after_flag)):
            is_secret, is_after_flag = flag is not None and names_secret(flag["name"]), True
            yield _shown(argument)
        else:
            is_after_flag = False
            yield HIDDEN if is_secret else _shown(argument)


def _shown(argument: str) -> str:
    assignment = _ASSIGNMENT.fullmatch(argument)
    if assignment and names_secret(assignment["name"]):
        return f"{assignment['name']}={HIDDEN}"
    return hide_secrets(argument)


def _without_secret_text(text: str) -> str:
    text = _USER.sub(rf"\g<scheme>{HIDDEN}@", text)
    text = _SCHEME_OF_HEADER.sub(rf"\g<scheme> {HIDDEN}", text)
    return _KNOWN_TOKEN.sub(HIDDEN, _without_secret_entries(text))


def _without_secret_entries(text: str) -> str:
    """Hide the values of name=value and name: value anywhere in text."""
    parts, end = [], 0
    for entry in _ENTRY.finditer(text):
        if entry.start() >= end and names_secret(entry["name"]):
            parts += [text[end : entry.end()], HIDDEN]
            stop = re.compile(entry["quote"] or _END_OF_VALUE).search(text, entry.end())
            end = stop.start() if stop else len(text)
    return "".join(parts) + text[end:]


def names_secret(name: str) -> bool:
    """Return whether a name, of a flag or a variable, indicates a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    is_key = words[-1] == "key" and (len(words) == 1 or words[-2] in _KINDS_OF_KEY)
    return is_key or words[-1] in _SECRET_AT_END or not _SECRET.isdisjoint(words)
