"""Marked secrets: values that the name of a secret precedes in files, tables, headers and commands."""

import re
from collections.abc import Iterator

from toposcope.recorder.secrets.named_secrets import lines_with_hints
from toposcope.recorder.secrets.secret_forms import Range
from toposcope.recorder.secrets.secret_names import names_only_secrets, names_secret

_NAME = r"(?P<name>[\w.\-]{2,80})"
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,40}m")
# The value on the line that follows, as in YAML and JSON; all lines of a block of YAML.
_NEXT_LINE = re.compile(
    rf"""[ \t+\-]{{0,80}}["']?{_NAME}["']?[ \t]{{0,80}}[:=][ \t]{{0,80}}\n"""
    r"[+\-]?[ \t]{1,80}(?P<value>[^\s#][^\n]{0,4000})"
)
_BLOCK = re.compile(
    rf"""[+\-]?(?P<indent>[ ]{{0,40}})["']?{_NAME}["']?[ ]{{0,9}}:[ ]{{0,9}}[|>][+\-]?[ ]{{0,9}}\n"""
    r"(?P<value>(?:[+\-]?(?P=indent)[ ][^\n]{0,1000}\n?){1,100})"
)
_ENTRY = re.compile(r"""(?:["']?[\w.\- ]{1,80}["']?[ \t]{0,80}[:=](?:[ \t\n]|$)|-[ \t])""")
# A cell after a name: in tables with lines, or separated by tabs or several blanks.
_CELL = re.compile(
    rf"""(?<![\w.\-]){_NAME}["']?[ ]{{0,80}}(?:[|\u2502\u2503][ ]{{0,80}}|\t[\t ]{{0,80}}|[ ]{{2,80}})"""
    r"(?P<value>[^\s|\u2502\u2503#=:][^\s|\u2502\u2503]{0,4000})"
)
_SEVERAL_WORDS = re.compile(r"[A-Za-z\d][_\-.][A-Za-z]|[a-z][A-Z]")
# The value of an entry whose name is a value itself: <add key="Password" value="..."/>, {"name": "KEY", "value": ...}.
_NAMED_VALUE = re.compile(
    r"""\b(?:key|name|id)["']?[ \t]{0,9}[=:][ \t]{0,9}["']?"""
    + _NAME
    + r"""["']?[ \t]{0,9}(?:,|\n[ \t+\-]{0,80})?[ \t]{0,9}["']?(?:value|content|default)["']?[ \t]{0,9}[=:][ \t]{0,9}"""
    r"""["']?(?P<value>(?<=")[^"\n]{1,4000}|(?<=')[^'\n]{1,4000}|[^\s"',]{1,4000})""",
    re.IGNORECASE,
)
# JSON in a text of JSON or of a command.
_ESCAPED_ENTRY = re.compile(rf"""\\["']{_NAME}\\["'][ \t]{{0,9}}:[ \t]{{0,9}}\\["'](?P<value>[^"'\\\n]{{1,4000}})""")
# Sentences: "the password is ...", "logged in with token ...". A word of a sentence has neither digits nor signs.
_SENTENCES = tuple(
    re.compile(rf"""\b(?:{names})[ \t]{{1,9}}(?:is|was)?[ \t]{{0,9}}:?[ \t]{{0,9}}["'`]?(?P<value>{value})""")
    for names, value in (
        ("password|passphrase|secret", r"(?=\S{0,200}[\d!%^*])[\w!%^*@#$&+/=.\-]{8,200}"),
        ("api[ -]key|token", r"(?=\S{0,200}\d)[\w+/=.\-]{16,200}"),
    )
)
_CSV = re.compile(rf"(?<![^\n,;]){_NAME}[,;](?P<value>[\w+/=\-]{{16,4000}})")
_HEADER = re.compile(
    r"""\b(?:set-cookie2?|cookie|(?:proxy-)?authorization)["']?[ \t]{0,9}:[ \t]{0,9}["']?"""
    r"""(?![a-z_.]{1,40}(?:[ \t]{0,9}[,)|\[]|[ \t]{1,9}=|$))(?P<value>[^"'\s][^"'\n]{0,4000})""",
    re.MULTILINE,
)
_NETRC = re.compile(
    r"\b(?:machine[ \t]{1,9}\S{1,200}|default)[ \t\n+]{1,9}login[ \t]{1,9}\S{1,200}[ \t\n+]{1,9}password[ \t]{1,9}"
    r"(?P<value>\S{1,4000})"
)
_COMMANDS = {
    "curl": r"""[ \t](?:-u|-U|--user|--proxy-user)[ \t=]{0,9}["']?[^\s:"']{0,200}:(?P<value>[^\s"']{1,4000})""",
    "sshpass": r"""sshpass[ \t]{1,9}-p[ \t]{0,9}["']?(?P<value>[^\s"']{1,4000})""",
    "login": (
        r"""\b(?:docker|podman|registry|az|oc)[ \t]{1,9}login[ \t][^\n]{0,400}?(?<=[ \t])-p[ \t]{1,9}["']?"""
        r"""(?P<value>[^\s"']{1,4000})"""
    ),
    "mongo": r"""\bmongo\w{0,9}[ \t][^\n]{0,400}?(?<=[ \t])-p[ \t]{1,9}["']?(?P<value>[^\s"']{1,4000})""",
    "redis-cli": r"""redis-cli[ \t](?:[^\n]{0,400}?[ \t])?-a[ \t]{1,9}["']?(?P<value>[^\s"']{1,4000})""",
    "ssh-keygen": r"""ssh-keygen[ \t](?:[^\n]{0,400}?[ \t])?-N[ \t]{1,9}["']?(?P<value>[^\s"']{1,4000})""",
    "zip": r"""zip[ \t](?:[^\n]{0,400}?[ \t])?-P[ \t]{0,9}["']?(?P<value>[^\s"']{1,4000})""",
    "7z": r"""\b7z\w?[ \t][^\n]{0,400}?(?<=[ \t])-p["']?(?P<value>[^\s"']{1,4000})""",
    "wandb": r"wandb[ \t]{1,9}login[ \t]{1,9}(?:--\w{1,20}[ \t]{1,9}){0,5}(?P<value>\w{32,200})",
    "aws configure": r"\baws configure set[ \t]\S{0,200}(?:key|token)[ \t]{1,9}(?P<value>\S{8,4000})",
    "--password-stdin": (
        r"""\becho[ \t]{1,9}(?:-n[ \t]{1,9})?["']?(?P<value>[^\s"'|]{1,4000})["']?[ \t]{0,9}\|"""
        r"[^\n]{0,400}--password-stdin"
    ),
    "mysql": r"""\bmysql\w{0,9}[ \t][^\n]{0,400}?(?<=[ \t])-p(?P<value>[^\s"'\-][^\s"']{0,4000})""",
}
"""Patterns of commands, by a word that each contains; compiled when a text has it."""
_NEXT_LINE_CHARACTERS = 200
_NO_SECRET = re.compile(r"(?:None|null|true|false|True|False|-?\d{0,9}(?:\.\d+)?(?:e[+\-]?\d+)?|[^\w]+)$")


def without_colours(text: str) -> str:
    """Return text with blanks in place of what sets colours, so that positions stay the same."""
    return _COLOUR.sub(lambda match: " " * len(match[0]), text) if "\x1b" in text else text


def marked_secrets(text: str) -> Iterator[Range]:
    """Yield the ranges of text that are secret, in no order; they may overlap.

    The time is proportional to the length of text: everything that is repeated in a pattern is bounded.
    """
    lower = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")  # ASCII only.
    for begin, end in lines_with_hints(lower):
        if (found := _NEXT_LINE.match(text, begin)) and _is_value(found):
            yield found.span("value")
        if (found := _BLOCK.match(text, begin)) and names_secret(found["name"]):
            yield found.span("value")
        yield from _cells(text, begin, end)
        if any(lower.find(word, begin, end + _NEXT_LINE_CHARACTERS) >= 0 for word in ("value", "content", "default")):
            named = _NAMED_VALUE.finditer(text, begin, end + _NEXT_LINE_CHARACTERS)
            yield from (found.span("value") for found in named if _is_named(found))
        yield from (found.span("value") for found in _HEADER.finditer(lower, begin, end))
        for sentence in _SENTENCES:
            yield from (found.span("value") for found in sentence.finditer(lower, begin, end))
        for pattern in (_CSV, _ESCAPED_ENTRY):
            yield from (found.span("value") for found in pattern.finditer(text, begin, end) if _is_named(found))
    if "password" in lower and "login" in lower:
        yield from (found.span("value") for found in _NETRC.finditer(lower))
    for word, command in _COMMANDS.items():
        if word in text:
            yield from (found.span("value") for found in re.finditer(command, text))


def _is_value(found: re.Match[str]) -> bool:
    return names_secret(found["name"]) and not _ENTRY.match(found["value"])


def _cells(text: str, position: int, end: int) -> Iterator[Range]:
    """Yield the cells after names that are hardly used for anything else: tables may be about tokens and keys."""
    while found := _CELL.search(text, position, end):
        name = found["name"]
        is_clear = names_only_secrets(name) or (names_secret(name) and _SEVERAL_WORDS.search(name))
        if is_clear and not _NO_SECRET.match(found["value"]):
            yield found.span("value")
        position = found.start("value")


def _is_named(found: re.Match[str]) -> bool:
    return names_secret(found["name"]) and not _NO_SECRET.match(found["value"])
