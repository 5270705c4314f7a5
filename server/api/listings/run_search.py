"""GET /api/runs/search and /api/runs/completions: the names of the runs that match a search, and what may follow."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.listings.run_listing import ListingQuery, list_found
from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.errors import INVALID_REQUEST
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.search.completion import Kind, complete
from toposcope.server.search.language.query import Condition, terms
from toposcope.server.search.language.syntax import LONGEST, parse
from toposcope.server.search.search import RunSearch
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")


class FoundRuns(BaseModel):
    """The runs that match a search."""

    revision: int
    runs: str
    """The names of the runs that match, sorted as requested, separated by null characters, which no name contains."""
    total: int
    """How many match."""
    unknown: list[str]
    """Names in the search that no run has as a field, hyperparameter or metric."""
    names_hidden: bool
    """Whether the search contains `is:archived` or `is:hidden`: it asks for runs that are not listed otherwise."""


class CompletionOption(BaseModel):
    """A text that may replace the end of a search."""

    text: str
    kind: Kind
    runs: int | None
    """How many runs have it; null: not counted."""


class Completions(BaseModel):
    """What may replace the end of a search."""

    start: int
    """Index of the first character that an option replaces, in characters of Unicode."""
    options: list[CompletionOption]
    """The most likely ones first, 20 at most."""


class SearchQuery(BaseModel):
    """The beginning of a search."""

    model_config = ConfigDict(extra="forbid")

    search: str = Field("", max_length=LONGEST, description="a search up to the place where it is typed")


@router.get("/runs/search", response_model=FoundRuns, responses=INVALID_REQUEST)
def search_runs(request: Request, current: Current, query: Annotated[ListingQuery, Query()]) -> Response:
    """Return the names of the runs that match a search."""
    found = list_found(request, current, [], query)
    return json_reply(
        {
            "revision": current.revision,
            "runs": "\0".join(str(json_value(run.name)) for run in found.runs),
            "total": found.total,
            "unknown": found.unknown,
            "names_hidden": any(map(_names_hidden, terms(parse(query.search)))),
        }
    )


@router.get("/runs/completions", response_model=Completions, responses=INVALID_REQUEST)
def complete_search(request: Request, current: Current, query: Annotated[SearchQuery, Query()]) -> Response:
    """Return what may follow an unfinished search."""
    search: RunSearch = request.app.state.search
    runs, notes = current.runs, notes_of(request).current().runs
    found = complete(query.search, search.vocabulary(runs, notes), lambda name: search.values_of(runs, notes, name))
    return json_reply({"start": found.start, "options": [option._asdict() for option in found.options]})


def _names_hidden(term: Any) -> bool:
    return isinstance(term, Condition) and term.name == "is" and term.value.casefold() in ("archived", "hidden")
