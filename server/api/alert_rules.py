"""GET, PUT and DELETE /api/alerts/rules/{name}: rules of alerts that are made on the page."""

import time
from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Path, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from toposcope.server.alerts.alert_files import PageRule
from toposcope.server.alerts.rules.condition import Search
from toposcope.server.alerts.rules.rule import Rule, rule_of
from toposcope.server.api.alerts import ListedRule, describe_rule, store_of, writable_store
from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies, body_errors
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.api.saved.view_bodies import storing
from toposcope.server.api.saved.views import WRITE_REPLIES
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.search.language import syntax
from toposcope.server.search.language.query import Every
from toposcope.server.search.search import RunSearch
from toposcope.server.values.alert import Level
from toposcope.server.views.view import LINE_PATTERN, checked_line

router = APIRouter(prefix="/api")
_MAX_BYTES, _LONGEST_NAME = 1 << 16, 5000
_Name = Annotated[
    str,
    Path(
        max_length=_LONGEST_NAME,
        json_schema_extra={"pattern": LINE_PATTERN},
        description="name of a rule: one line of text; slashes need no escaping",
    ),
    AfterValidator(checked_line),
]
_NOT_FOUND: Replies = {404: {"model": Problem, "description": "No such rule was made on the page."}}


class RuleBody(BaseModel):
    """A rule to make."""

    model_config = ConfigDict(strict=True, extra="forbid")

    when: Annotated[str, Field(max_length=syntax.LONGEST, description="the condition, as in the file of --alerts")]
    runs: Annotated[str, Field(max_length=syntax.LONGEST, description="a search; empty: all runs")] = ""
    level: Level = "warn"


@router.get("/alerts/rules/{name:path}", response_model=ListedRule, responses={**_NOT_FOUND, **INVALID_REQUEST})
def read_rule(request: Request, name: _Name) -> Response:
    """Read a rule that was made on the page."""
    current = store_of(request).current()
    for rule in current.page_rules:
        if rule.name == name:
            return json_reply(describe_rule(rule, current))
    raise _no_rule(name)


@router.put(
    "/alerts/rules/{name:path}",
    response_model=ListedRule,
    responses={**WRITE_REPLIES, **body_errors(_MAX_BYTES)},
    max_body_size=_MAX_BYTES,
)
def make_rule(request: Request, current: Current, name: _Name, body: Annotated[RuleBody, Body()]) -> Response:
    """Make a rule, or replace it; it raises alerts for what happens from then on."""
    store = writable_store(request)
    rule = PageRule(name=name, **body.model_dump(), made=time.time())
    if name in [known.name for known in store.current().rules.rules]:
        raise HTTPException(422, f"a rule of --alerts has the name {name!r}: expected another name")
    try:
        parsed = rule_of(rule)
        _check_searches(request, current, parsed)
        with storing("the rule", store.path):
            rule = store.make_rule(rule)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    return json_reply(describe_rule(rule, store.current()))


@router.delete(
    "/alerts/rules/{name:path}",
    status_code=204,
    response_class=Response,
    responses={**WRITE_REPLIES, **_NOT_FOUND},
)
def delete_rule(request: Request, name: _Name) -> Response:
    """Delete a rule that was made on the page; the alerts that it has raised stay."""
    store = writable_store(request)
    if name not in [rule.name for rule in store.current().page_rules]:
        raise _no_rule(name)
    with storing("the change", store.path):
        store.delete_rule(name)
    return Response(status_code=204)


def _check_searches(request: Request, current: Snapshot, rule: Rule) -> None:
    """Try the searches of a rule: some of what is invalid is noticed only then; it is a ValueError."""
    searches = (rule.runs, rule.condition.query if isinstance(rule.condition, Search) else None)
    query = Every(tuple(each for each in searches if each is not None))
    search: RunSearch = request.app.state.search
    search.find(current.runs, notes_of(request).current().runs, query, syntax.Field("name", ""), False, page=slice(0))


def _no_rule(name: str) -> HTTPException:
    return HTTPException(404, f"no rule {name!r} was made on the page")
