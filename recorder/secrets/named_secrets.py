"""Named secrets: the values in a text that follow the name of a secret, as in program code, settings and output."""

import re
from collections.abc import Iterator
from functools import cache

from toposcope.recorder.secrets.secret_forms import Range
from toposcope.recorder.secrets.secret_names import names_only_secrets, names_secret

# A name of a secret contains one of these. str.find is ten times as fast as a regular expression.
_HINTS = ("token", "key", "pass", "pwd", "secret", "credential", "auth", "cookie", "bearer", "sig", "pat")
_NAME = re.compile(r"(?<![\w.\-])[\w.\-]+")
_MAX_NAME = 200

_TYPES = (
    r"(?:(?:typing\.|t\.)?(?:str|bytes|int|float|bool|None|Optional|Union|Final|ClassVar|Any|SecretStr|SecretBytes|"
    r"string|String|list|dict|List|Dict)(?![\w\-])[ \t\[\]|,]*)+"
)
_COMMA = re.compile(r"""["'][ \t]*,""")
_GAP = re.compile(r"[ \t]+(?![\-=:])")

_LITERAL = re.compile(r"""(?<!\w)(?:[bBrRuUfF]{1,2}|[$@])?(?P<quote>\"""|'''|["'`])""")
_CONTENTS = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\[^\n])*") for quote in "\"'`"}
_JOINT = re.compile(r"[ \t]*\+?[ \t]*")
_MAX_BLOCK = 4000  # Characters of a literal or an expression of several lines.

_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest|Negotiate|!{1,2}\w+)[ \t]+", re.IGNORECASE)
_BEARER = re.compile(r"\bbearer[ \t]+(?P<value>[^\s\"'`]{8,})")
_WORD = re.compile(r"\S*")
_PARAMETER = re.compile(r"""[^\s&#"']*""")
_JSON_VALUE = re.compile(r"[^\s,}\]]*")
_NO_SECRET = re.compile(
    r"(?:None|True|False|null|true|false|lambda|self|-?\d{0,5}(?:\.\d+){0,3}(?:e[+\-]?\d+)?|"
    r"[a-z]{1,12}(?:_[a-z]{1,20}){0,5}(?:\.[A-Za-z_]\w{0,40}){0,5}(?=[\s,):\]]|$))(?![\w.\-])"
)
"""What a bare value of a "key" or "token" is otherwise: a constant, a number, a version or the name of a variable."""
_SPECIAL_TOKEN = re.compile(r"<\|?/?\w{1,30}\|?>|\[\w{1,20}\]")
_PLAIN_KEY = re.compile(r"[a-z]{1,20}(?:[_/\-][a-z]{1,20}){0,3}")
_LOOKUP = re.compile(r"""(?:os\.)?(?:environ(?:\.get)?|getenv)[(\[]["']\w{1,200}["']""")
_ASKED = re.compile(r"(?:getpass\.)?getpass\(|input\(|\$\(|\$\{?[A-Z_][A-Z\d_]{0,200}\}?(?![\w])")
"""A value that another program or the user gives."""
_LIST = re.compile(r"\[(?P<items>[\w\-+/=]{16,200}(?:,[ ]?[\w\-+/=]{16,200}){0,20})\]")
_ENTRY = re.compile(r"""[ \t]*["'][^"'\n]{0,200}["'][ \t]*:""")
_CALL = re.compile(r"[A-Za-z_][\w.]*[(\[]|[(\[{]")
_OPEN = ("(", "[", "{", "\\")
_CLOSING_LINE = re.compile(r"^[ +\-]?[ \t]*[)\]}]", re.MULTILINE)


@cache  # Compiled when a text needs it: half as much time as all other patterns together.
def _operator() -> re.Pattern[str]:
    """Return the pattern of assignments, comparisons and entries, with the type of the name if there is one."""
    return re.compile(rf"""["'`]?\]?[ \t]*(?::[ \t]*{_TYPES}=(?!=)|[:=!]?={{1,3}}>?|:)[ \t]*""")


@cache
def _type_alone() -> re.Pattern[str]:
    """Return the pattern of a type without a value, as in the declaration of a parameter."""
    return re.compile(rf"{_TYPES}[),=:]|{_TYPES}$", re.MULTILINE)


class _Expressions:
    """The expressions in a text, and the last closing line that was found: lines are visited in ascending order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = 0, 0
        self.ranges: list[Range] = []

    def add(self, start: int, end: int) -> None:
        """Add an expression in a line that ends at end; it ends there or at the line with the closing bracket."""
        if self._text[max(0, end - 80) : end].rstrip()[-1:] in _OPEN:
            if self._closing[0] <= end:
                closing = _CLOSING_LINE.search(self._text, end + 1)
                self._closing = closing.span() if closing else (len(self._text) + _MAX_BLOCK,) * 2
            if self._closing[1] <= end + _MAX_BLOCK:
                end = self._closing[1]
        self.ranges.append((start, end))


def named_secrets(text: str) -> Iterator[Range]:
    """Yield the ranges of text that are the values of names of secrets, in no order; they may overlap.

    Recognised are `name=value`, `"name": "value"`, `--name value`, `name: type = "value"`, `("name", "value")`,
    `<name>value</name>` and `Bearer value`. Of a value that is an expression, all literals up to the end of the line or
    of the expression are secret.
    """
    # ASCII only: the text keeps its length.
    lower = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
    expressions = _Expressions(text)
    done = 0
    for begin, end in lines_with_hints(lower):
        position = max(begin, done)
        while position < end and (name := _NAME.search(text, position, end)):
            position = name.end()
            if names_secret(name[0][-_MAX_NAME:]):
                for secret in _values_of(text, name, end, expressions):
                    yield secret
                    position = max(position, secret[1])
        done = position
        if lower.find("bearer", begin, end) >= 0:
            yield from (match.span("value") for match in _BEARER.finditer(lower, begin, end))
    for start, end in merged(expressions.ranges):
        yield from _literals(text, start, end)


def merged(ranges: list[Range]) -> Iterator[Range]:
    """Yield the ranges in ascending order, overlapping ones as one."""
    last: Range | None = None
    for start, end in sorted(ranges):
        if last is not None and start <= last[1]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last


def lines_with_hints(lower: str) -> Iterator[Range]:
    """Yield the lines that contain a hint, in ascending order."""
    end, found = 0, {hint: lower.find(hint) for hint in _HINTS}
    while True:
        found = {hint: start if start >= end else lower.find(hint, end) for hint, start in found.items() if start >= 0}
        starts = [start for start in found.values() if start >= 0]
        if not starts:
            return
        first = min(starts)
        begin, end = lower.rfind("\n", 0, first) + 1, lower.find("\n", first)
        end = len(lower) if end < 0 else end
        yield begin, end


def _values_of(text: str, name: re.Match[str], end: int, expressions: _Expressions) -> Iterator[Range]:
    """Yield the ranges of the values of a name in a line that ends at end; add expressions of several values."""
    if operator := _operator().match(text, name.end()):
        if not _type_alone().match(text, operator.end()):
            yield from _value(text, name, operator.end(), end, expressions)
    elif comma := _COMMA.match(text, name.end()):  # add_argument("--token", default=...), setdefault("TOKEN", ...)
        if not _ENTRY.match(text, comma.end()):
            expressions.add(comma.end(), end)
    elif text.startswith(">", name.end()) and text.startswith("<", name.start() - 1):
        yield name.end() + 1, max(name.end() + 1, text.find("<", name.end(), end))
    elif gap := _GAP.match(text, name.end()):  # --token value, ENV TOKEN value, #define TOKEN "value"
        is_flag = name[0].startswith("--") or text.endswith(("ENV ", "setenv "), 0, name.start())
        if is_flag or _LITERAL.match(text, gap.end()):
            yield from _value(text, name, gap.end(), end, expressions)


def _value(text: str, name: re.Match[str], start: int, end: int, expressions: _Expressions) -> Iterator[Range]:
    if scheme := _SCHEME.match(text, start, end):
        start = scheme.end()
    may_be_other = not names_only_secrets(name[0][-_MAX_NAME:])
    if literal := _LITERAL.match(text, start, end):
        if not (may_be_other and _is_plain(name[0], text[slice(*_content(text, literal))])):
            yield from _joined_literals(text, literal, end)
        return
    if lookup := _LOOKUP.match(text, start, end):  # The name of a variable, and its default.
        expressions.add(lookup.end(), end)
        return
    is_directory = name[0].lower() in ("pwd", "oldpwd") and text.startswith("/", start)
    if is_directory or _ASKED.match(text, start, end):
        return
    if values := _LIST.match(text, start, end):
        yield values.span("items")
        return
    is_expression = _CALL.match(text, start, end)
    if is_expression:
        expressions.add(start, end)
    if may_be_other and (is_expression or _NO_SECRET.match(text, start, end)):
        return
    is_parameter = text[name.start() - 1 : name.start()] in ("?", "&")
    is_quoted = text[name.end() : name.end() + 1] in ('"', "'")
    form = _PARAMETER if is_parameter else _JSON_VALUE if is_quoted else _WORD
    if value := form.match(text, start, end):
        yield value.span()


def _is_plain(name: str, content: str) -> bool:
    """Return whether a literal is the key of something else, or one of the tokens that models know."""
    return bool(_SPECIAL_TOKEN.fullmatch(content) or (name.lower() == "key" and _PLAIN_KEY.fullmatch(content)))


def _joined_literals(text: str, literal: re.Match[str] | None, end: int) -> Iterator[Range]:
    """Yield the contents of literals that follow each other or are added."""
    while literal is not None:
        content = _content(text, literal)
        yield content
        start = content[1] + len(literal["quote"])
        literal = _LITERAL.match(text, joint.end(), end) if (joint := _JOINT.match(text, start, end)) else None


def _content(text: str, literal: re.Match[str]) -> Range:
    """Return the range between the quotes of a literal; one without an end takes the rest of its line."""
    start, quote = literal.end(), literal["quote"]
    if len(quote) == 1:
        content = _CONTENTS[quote].match(text, start)
        return start, start if content is None else content.end()
    found = text.find(quote, start, start + _MAX_BLOCK)
    return start, min(start + _MAX_BLOCK, len(text)) if found < 0 else found


def _literals(text: str, start: int, end: int) -> Iterator[Range]:
    while literal := _LITERAL.search(text, start, end):
        content = _content(text, literal)
        yield content
        start = content[1] + len(literal["quote"])
