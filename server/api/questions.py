"""GET /api/questions/{name}: the replies to questions, as the command line prints them."""

import argparse
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import Problem, Replies
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_NAME, MAX_TAGS
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.api.series.scalar_cost import Columns, scalars_cost
from toposcope.server.budget.cost import Cost
from toposcope.server.questions.asking.get import points_of
from toposcope.server.questions.asking.names import Name, question_named
from toposcope.server.questions.asking.question import parse, reply_to
from toposcope.server.questions.metrics import find_series
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.questions.recorded.records import find_texts
from toposcope.server.runs.selection.selection import Window
from toposcope.server.runs.statistics.smoothing import parse_smoothing

router = APIRouter(prefix="/api")
_RETRY = {"Retry-After": "1"}
_NUMBERS = 9
"""Steps, values and smoothed values; Python's numbers take three times as much as those of arrays."""
_TEXT_COPIES = 4
_DIAGNOSIS = Cost(seconds=1.0)


class QuestionQuery(BaseModel):
    """The arguments of a question."""

    model_config = ConfigDict(extra="forbid")

    argument: list[Annotated[str, Field(max_length=MAX_NAME)]] = Field(
        [],
        max_length=MAX_TAGS,
        description="an argument, as the command of this name takes it after DIR, such as --limit, and then 20",
    )


class QuestionReply(BaseModel):
    """What the command prints. Names and texts are untrusted: never insert them as HTML."""

    status: int
    """The exit status of the command: 0, or 1 if nothing matched."""
    answer: dict[str, Any] | None
    """With the argument --json or --jsonl, the object that --json prints and --schema describes; else null."""
    lines: list[str] | None
    """Without, the lines of text; control characters in them are escaped."""


_REPLIES: Replies = {
    400: {"model": Problem, "description": "An argument is unknown, invalid or missing."},
    404: {"model": Problem, "description": "There is no such run, or it has no such tag."},
    422: {"model": Problem, "description": "There is no such question, or it costs too much."},
    503: {"model": Problem, "description": "The server still reads the runs, or computes too much at present."},
}


@router.get("/questions/{name}", response_model=QuestionReply, responses=_REPLIES)
async def answer_question(
    request: Request, current: Current, name: Name, query: Annotated[QuestionQuery, Query()]
) -> Response:
    """Answer a question of the command line, such as `runs`, `best` or `check`."""
    if current.loading:
        raise HTTPException(503, "the server still reads the runs: try again soon", _RETRY)
    try:
        return await within_budget(request, lambda: _plan(request.app.state.opened, name, query.argument))
    except UnknownNameError as error:
        raise HTTPException(404, str(error)) from error
    except ValueError as error:
        raise HTTPException(400, str(error)) from error


def _plan(opened: Opened, name: Name, arguments: list[str]) -> Work:
    question = question_named(name)
    options = parse(question, arguments)
    cost = _COSTS[name](opened, options) if name in _COSTS else Cost()
    return Work(cost, lambda: json_reply(reply_to(question, opened, options)._asdict()))


def _series_cost(opened: Opened, options: argparse.Namespace) -> Cost:
    if not options.tag and not options.expr:
        return Cost()  # The answer says that one is missing.
    series, _ = find_series(opened, options.run, options.tag, options.expr)
    first, last = options.steps
    smoothing = None if options.smooth is None else parse_smoothing(options.smooth)
    return scalars_cost(series, None, Window(lo=first, hi=last, points=points_of(options)), smoothing, _COLUMNS)


def _texts_cost(opened: Opened, options: argparse.Namespace) -> Cost:
    _, found = find_texts(opened, options.run, options.tag)
    return Cost(bytes=_TEXT_COPIES * sum(int(series.length.sum()) for series in found.values()))


_COLUMNS = Columns(_NUMBERS, is_cbor=False)
_COSTS: dict[Name, Callable[[Opened, argparse.Namespace], Cost]] = {
    "get": _series_cost,
    "text": _texts_cost,
    "diagnose": lambda *_: _DIAGNOSIS,
}
"""Those of questions that may cost much."""
