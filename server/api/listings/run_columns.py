"""GET and POST /api/runs/columns: facts and values of all runs as columns, or only of the runs that have changed."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.listings.runs import LoadProgress
from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.cbor import MEDIA_TYPE
from toposcope.server.api.replies.columns import Column, accepts_cbor, cbor_column, columns_reply, json_column
from toposcope.server.api.replies.errors import INVALID_REQUEST, Replies, body_errors
from toposcope.server.api.replies.json_reply import Number
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES
from toposcope.server.api.requests.snapshot import Current, logdir_of
from toposcope.server.api.series.scalar_query import is_comparable
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.runs.families import Families
from toposcope.server.runs.run import RunView
from toposcope.server.search.facts import FACTS
from toposcope.server.search.language.syntax import parse_field
from toposcope.server.search.run_table import Codes, Mask, Numbers, Rows
from toposcope.server.search.search import Key, RunSearch
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")
NumberFact = Literal["started", "updated", "ended", "first_step", "last_step", "first_bad"]
CodedFact = Literal[
    "ranks",
    "writers",
    "attempts",
    "dialect",
    "state",
    "phase",
    "error",
    "damaged_records",
    "plugins",
    "plugin_ranks",
]
SparseFact = Literal["parent", "session_name", "stale"]
KeptFact = Literal["colour"]
_MAX_COLUMNS = 1000


class RunColumnsQuery(BaseModel):
    """Selects columns."""

    model_config = ConfigDict(extra="forbid")

    fact: list[NumberFact | CodedFact | SparseFact | KeptFact] = Field(
        [], max_length=100, description="facts about runs, named as in /api/runs; first_bad: the step of /api/overview"
    )
    last: list[str] = Field([], max_length=_MAX_COLUMNS, description="scalar tags, for their last values")
    min: list[str] = Field([], max_length=_MAX_COLUMNS, description="scalar tags, for their smallest values")
    max: list[str] = Field([], max_length=_MAX_COLUMNS, description="scalar tags, for their largest values")
    param: list[str] = Field([], max_length=_MAX_COLUMNS, description="names of hyperparameters")
    parameters: bool = Field(False, description="whether to list the hyperparameters of all runs")
    since: int | None = Field(
        None, ge=0, lt=2**53, description="a revision: only runs that have changed since then, if that is known"
    )


class RunColumnsBody(RunColumnsQuery):
    """A RunColumnsQuery as JSON, which is validated strictly."""

    model_config = ConfigDict(strict=True)


class NumberColumn(BaseModel):
    """Numbers."""

    row: list[int] | None
    """The places in `runs` of the runs that have a number; null: all have one."""
    number: list[Number]


class CodedColumn(BaseModel):
    """Values of which few differ."""

    code: list[int]
    """For each run the place of its value in `value`; -1: it has none."""
    value: list[Any]


class Parameter(BaseModel):
    """A hyperparameter that any run has."""

    name: str
    runs: int
    """How many runs have it."""
    is_number: bool
    """Whether all its values are numbers."""
    values: int
    """The number of its distinct values; counting ends at 1000."""


class RunColumns(BaseModel):
    """Columns of runs, oldest first.

    As application/cbor, `row`, `number` and `code` are typed arrays, or `{"start", "stride", "count"}` as
    in /api/scalars.
    """

    revision: int
    since: int | None
    """The requested revision, if runs that have not changed since are left out and no run was removed; else null."""
    logdir: str
    logdir_exists: bool
    loading: bool
    """Whether files are still being read for the first time."""
    progress: LoadProgress
    runs: str
    """The names of the runs, oldest first, separated by null characters, which no name contains."""
    total: int
    """How many runs there are."""
    fact: dict[str, NumberColumn | CodedColumn]
    """The columns, by the names of the request, like the next four."""
    last: dict[str, NumberColumn]
    min: dict[str, NumberColumn]
    max: dict[str, NumberColumn]
    param: dict[str, CodedColumn]
    parameters: list[Parameter]
    """The hyperparameters of all runs, if they were requested."""


_REPLIES: Replies = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}},
    **INVALID_REQUEST,
}
_POST_REPLIES = _REPLIES | body_errors(MAX_BODY_BYTES)


@router.get("/runs/columns", response_model=RunColumns, responses=_REPLIES)
def read_run_columns(request: Request, current: Current, query: Annotated[RunColumnsQuery, Query()]) -> Response:
    """Read columns of all runs, as JSON, or as CBOR if the header Accept names it."""
    return _read(request, current, query)


@router.post("/runs/columns", response_model=RunColumns, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
def read_many_run_columns(request: Request, current: Current, query: Annotated[RunColumnsBody, Body()]) -> Response:
    """Read columns of all runs; the same as GET, for lists that are too long for a URL."""
    return _read(request, current, query)


def _read(request: Request, current: Snapshot, query: RunColumnsQuery) -> Response:
    is_cbor = accepts_cbor(request)
    column = cbor_column if is_cbor else json_column
    families: Families = request.app.state.families
    family = families.update(current.runs, current.revision)
    table = _Table(request.app.state.search, current.runs, notes_of(request).current().runs)
    rows = table.search.order(table.runs, table.notes, parse_field("started"))
    changed = _changed(table, current, families, query.since)
    if changed is not None:
        rows = rows[changed[rows]]
    all_names = list(current.runs)
    names = [all_names[row] for row in rows.tolist()]
    facts, statistics, params = _read_columns(table, query, rows, column)
    sparse = {"parent": family.parents, "session_name": family.session_names, "stale": current.stale}
    facts |= {name: _sparse(sparse[name], names, column) for name in query.fact if name in sparse}
    if "colour" in query.fact:
        facts["colour"] = _colours(request.app.state.colours.of(current.runs), names, column)
    return columns_reply(
        {
            "revision": current.revision,
            "since": None if changed is None else query.since,
            "logdir": json_value(logdir_of(request).path),
            "logdir_exists": current.exists,
            "loading": current.loading,
            "progress": current.progress._asdict(),
            "runs": "\0".join(names),
            "total": len(current.runs),
            "fact": facts,
            **statistics,
            "param": params,
            "parameters": _parameters(table) if query.parameters else [],
        },
        is_cbor,
    )


class _Table(NamedTuple):
    """What columns are made of."""

    search: RunSearch
    runs: Mapping[str, RunView]
    notes: Mapping[str, RunNotes]


def _changed(table: _Table, current: Snapshot, families: Families, since: int | None) -> Mask | None:
    """Return which runs may differ from those of a revision; None if that is not known, or runs were removed."""
    related = families.changed_since(since) if since is not None and is_comparable(current, since) else None
    if since is None or related is None:
        return None
    changed = np.array([run.state_revision > since or name in related for name, run in table.runs.items()], np.bool_)
    # What a training does at present may change without a revision.
    states = table.search.columns(table.runs, table.notes, np.arange(len(changed)), [], [_STATE]).codes[_STATE]
    alive = [code for code, state in enumerate(states.values) if state in ("running", "stalled")]
    mask: Mask = changed | np.isin(states.code, alive)
    return mask


def _read_columns(
    table: _Table, query: RunColumnsQuery, rows: Rows, column: Column
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, Any]]:
    """Return (the facts that are not sparse, the statistics of metrics, the hyperparameters)."""
    numbers: dict[str, Key] = {name: _NUMBER_KEYS[name] for name in query.fact if name in _NUMBER_KEYS}
    codes: dict[str, Key] = {name: ("fact", name) for name in query.fact if name in FACTS}
    metrics: dict[str, list[str]] = {"last": query.last, "min": query.min, "max": query.max}
    found = table.search.columns(
        table.runs,
        table.notes,
        rows,
        [*numbers.values(), *((statistic, tag) for statistic, tags in metrics.items() for tag in tags)],
        [*codes.values(), *(("param", name) for name in query.param)],
    )
    facts: dict[str, Any] = {name: _numbers(found.numbers[key], column) for name, key in numbers.items()}
    facts |= {name: _codes(found.codes[key], column, _PLAIN.get(name, _same)) for name, key in codes.items()}
    return (
        facts,
        {which: {tag: _numbers(found.numbers[which, tag], column) for tag in tags} for which, tags in metrics.items()},
        {name: _codes(found.codes["param", name], column) for name in query.param},
    )


def prepare(search: RunSearch, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> None:
    """Compute the columns that the page requests first, one at a time, so that requests are answered meanwhile."""
    rows = search.order(runs, notes, parse_field("started"))
    for key in _NUMBER_KEYS.values():
        search.columns(runs, notes, rows, [key], [])
    for name in FACTS:
        search.columns(runs, notes, rows, [], [("fact", name)])


def _numbers(numbers: Numbers, column: Column) -> dict[str, Any]:
    if numbers.present.all():
        return {"row": None, "number": column(numbers.values)}
    rows = np.flatnonzero(numbers.present)
    return {"row": column(rows), "number": column(numbers.values[rows])}


def _same(value: Any) -> Any:
    return value


def _codes(codes: Codes, column: Column, plain: Callable[[Any], Any] = _same) -> dict[str, Any]:
    return {"code": column(codes.code), "value": [plain(value) for value in codes.values]}


def _sparse(values: Mapping[str, str], names: list[str], column: Column) -> dict[str, Any]:
    """Return a column of texts that few runs have."""
    distinct: dict[str, int] = {}
    code = np.full(len(names), -1, np.int64)
    for row, name in enumerate(names) if values else ():
        if name in values:
            code[row] = distinct.setdefault(values[name], len(distinct))
    return {"code": column(code), "value": [json_value(text) for text in distinct]}


def _colours(colours: Mapping[str, int], names: list[str], column: Column) -> dict[str, Any]:
    return {"row": None, "number": column(np.array([colours[name] for name in names], np.int64))}


_STATE: Key = ("fact", "state")
_NUMBER_KEYS: Mapping[str, Key] = {**{name: (name,) for name in get_args(NumberFact)}, "last_step": ("step",)}
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "ranks": list,
    "error": lambda error: {"type": error[0], "text": error[1]},
    "plugins": dict,
    "plugin_ranks": lambda ranks: {plugin: list(each) for plugin, each in ranks},
}
"""How values of facts are written in replies."""


def _parameters(table: _Table) -> list[dict[str, Any]]:
    found = table.search.parameters(table.runs, table.notes)
    return [{"name": name, **summary._asdict()} for name, summary in found.items()]
