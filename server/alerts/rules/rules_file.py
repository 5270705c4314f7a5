"""The file of --alerts: rules, and destinations of the alerts that they raise."""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toposcope.server.alerts.rules.rule import Rule, make_rule
from toposcope.server.alerts.sending.destinations import Destination
from toposcope.server.search.language import literals, syntax
from toposcope.server.values.alert import Level

_MAX_RULES = 200


class RulesFile(NamedTuple):
    """What the file contains."""

    rules: list[Rule]
    destinations: Mapping[str, Destination]
    """The destinations, by name."""


class RulesError(ValueError):
    """The file is invalid; the message names the rule or the destination, and what was expected."""


class _RuleText(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=200)
    when: str = Field(max_length=syntax.LONGEST)
    runs: str = ""
    level: Level = "warn"
    cooldown: str | None = None
    send: list[str] | None = None


class _FileText(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rule: list[dict[str, Any]] = Field([], max_length=_MAX_RULES)
    destination: dict[str, dict[str, Any]] = {}


class _OneDestination(BaseModel):
    destination: Destination


def read_rules(path: str) -> RulesFile:
    """Return the rules and destinations in a file.

    Raises:
        RulesError: it is invalid.
        OSError: it cannot be read.
    """
    try:
        text = _validated(_FileText, tomllib.loads(Path(path).read_text(encoding="utf-8")), path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RulesError(f"{path} is not TOML: {error}") from None
    destinations = {
        name: _validated(_OneDestination, {"destination": fields}, f"{path}: destination {name!r}").destination
        for name, fields in text.destination.items()
    }
    rules = [
        _rule(_validated(_RuleText, fields, f"{path}: rule {fields.get('name', number)!r}"), path, destinations)
        for number, fields in enumerate(text.rule, 1)
    ]
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise RulesError(f"{path}: {names.count(name)} rules have the name {name!r}: expected different names")
    if not rules:
        raise RulesError(f"{path} has no rules: expected [[rule]] with name and when")
    return RulesFile(rules, destinations)


def _rule(text: _RuleText, path: str, destinations: Mapping[str, Destination]) -> Rule:
    where = f"{path}: rule {text.name!r}"
    cooldown = math.inf if text.cooldown is None else literals.duration(text.cooldown)
    if cooldown is None:
        raise RulesError(f"{where}: cooldown = {text.cooldown!r}: expected a duration such as 90s, 30m, 1.5h or 2d")
    chosen = tuple(destinations if text.send is None else dict.fromkeys(text.send))
    for name in chosen:
        if name not in destinations:
            known = ", ".join(map(repr, destinations)) or "no destinations"
            raise RulesError(f"{where}: send = {name!r}: the file has {known}")
    try:
        return make_rule(text.name, text.when, text.runs, text.level, cooldown, chosen)
    except ValueError as error:
        raise RulesError(f"{where}: {error}") from None


def _validated(kind: type[Any], content: Any, where: str) -> Any:
    """Return a validated model; RulesError if the content is invalid, without the values, which may be secrets."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors(include_input=False, include_url=False)
        parts = [str(part) for part in first["loc"] if part != "destination"]
        name = ".".join(parts[1:] if kind is _OneDestination and len(parts) > 1 else parts)
        raise RulesError(
            f"{where}: {f'{name}: ' if name else ''}{first['msg'].removeprefix('Value error, ')}"
        ) from None
