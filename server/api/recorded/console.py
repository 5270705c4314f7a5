"""GET /api/console: what a training wrote to stdout and stderr."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.runs.messages.console import CONSOLE, Console
from toposcope.server.runs.run import ALL

router = APIRouter(prefix="/api")
_MAX_CHARACTERS = 4_000_000
_console = Console()


class ConsoleQuery(BaseModel):
    """Selects lines of the output of a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    rank: int | None = Field(None, ge=0, lt=2**31, description="default: the lowest rank whose output was recorded")
    after: int = Field(
        0,
        gt=-(2**53),
        lt=2**53,
        description="number of a line: the lines after it; a negative number: that many lines at the end",
    )
    search: str = Field("", max_length=1000, description="text that a line must contain, in upper or lower case")
    limit: int = Field(1000, ge=1, le=10_000, description="maximum number of lines")


class ConsoleLine(BaseModel):
    """One line. It is untrusted: never insert it as HTML."""

    number: int
    """From 1 on, in the order of recording."""
    wall_time: Number
    """Seconds since 1970."""
    stream: Literal["stdout", "stderr", "unknown"]
    text: str
    """The text of the line; its last state if it was rewritten, as by a progress bar."""


class ConsoleLines(BaseModel):
    """Lines of the output of a run."""

    revision: int
    run: str
    rank: int | None
    """Null if no output was recorded."""
    lines: list[ConsoleLine]
    total: int
    """Lines of the whole output."""
    dropped: int
    """Lines that were not recorded, because there were too many."""
    damaged: int
    """Messages, each of several lines, that were left out because they cannot be read."""
    next: int | None
    """The value of after with which to continue, if there may be more lines; null at the end."""


@router.get("/console", response_model=ConsoleLines, responses=REQUEST_ERRORS)
def read_console(current: Current, query: Annotated[ConsoleQuery, Query()]) -> Response:
    """Read lines that a training wrote to stdout and stderr, in order.

    They are recorded only if the training asked for it. A reply ends early, with next, after several megabytes.
    """
    (run,) = find_runs(current, [query.run])
    rank = query.rank if query.rank is not None else next(iter(run.ranks_of(CONSOLE, ALL)), None)
    totals = _console.totals(run, 0 if rank is None else rank)
    after = query.after if query.after >= 0 else max(0, totals.lines + query.after)
    page = _console.page(run, rank or 0, totals, after, query.search, query.limit, _MAX_CHARACTERS)
    lines = [
        {"number": number, "wall_time": json_number(line.wall_time), "stream": line.stream, "text": line.text}
        for number, line in page.lines
    ]
    return json_reply(
        {
            "revision": current.revision,
            "run": query.run,
            "rank": rank,
            "lines": lines,
            "total": totals.lines,
            "dropped": totals.dropped,
            "damaged": page.damaged,
            "next": page.next,
        }
    )
