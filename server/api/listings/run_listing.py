"""Which runs a request lists: those that match a search, sorted, a page of them."""

from fastapi import HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.notes import notes_of
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.search.language.syntax import LONGEST, SearchError, parse, parse_field
from toposcope.server.search.search import Found, RunSearch


class ListingQuery(BaseModel):
    """Finds, sorts and pages runs."""

    model_config = ConfigDict(extra="forbid")

    search: str = Field(
        "", max_length=LONGEST, description="which runs, such as `label:paper lr<0.1 -state:failed`; empty: all"
    )
    sort: str = Field(
        "started",
        min_length=1,
        max_length=LONGEST,
        description="a field, hyperparameter or metric, such as `name`, `lr` or `min(loss)`; runs without it are last",
    )
    descending: bool = Field(False, description="whether the largest values are first")
    offset: int = Field(0, ge=0, lt=2**53, description="how many runs to omit from the beginning")
    limit: int | None = Field(None, ge=0, lt=2**53, description="how many runs to return at most; absent: all")


def list_found(request: Request, current: Snapshot, names: list[str], query: ListingQuery) -> Found:
    """Return the page of runs that a request asks for.

    Args:
        request: of the client.
        current: the runs.
        names: of the runs to list at most, which exist; none: all.
        query: what to list.

    Raises:
        HTTPException: 422 if the search or the field to sort by is invalid.
    """
    search: RunSearch = request.app.state.search
    try:
        parsed, order = parse(query.search), parse_field(query.sort)
        notes = notes_of(request).current().runs
        end = None if query.limit is None else query.offset + query.limit
        page = slice(query.offset, end)
        found = search.find(current.runs, notes, parsed, order, query.descending, names=names, page=page)
    except SearchError as error:
        raise HTTPException(422, str(error)) from error
    return found
