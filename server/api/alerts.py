"""GET /api/alerts, POST /api/alerts/acknowledged and PUT /api/alerts/muted: what happened that people should know."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.alerts.alert_files import KnownRule, PageRule, TooManyMutedError
from toposcope.server.alerts.alerts import Alerts, AlertsSnapshot
from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.recorded import ListedAlert, RecordedAlerts
from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.errors import REQUEST_ERRORS, body_errors
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.api.saved.view_bodies import storing
from toposcope.server.api.saved.views import WRITE_REPLIES
from toposcope.server.notes.no_notes import NoNotes
from toposcope.server.values.alert import Level

router = APIRouter(prefix="/api")
_MAX_BYTES, _MAX_IDS = 1 << 20, 10_000


class AlertsQuery(BaseModel):
    """Selects alerts."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="names of runs; none: all")
    limit: int = Field(200, ge=0, le=10_000, description="maximum number of alerts")


class AlertDelivery(BaseModel):
    """How far an alert has been delivered to a destination."""

    to: str
    sent: Number | None
    """When it was delivered, in seconds since 1970."""
    problem: str | None
    """Why the last attempt failed."""
    is_over: bool
    """Whether it was given up."""


class Alert(BaseModel):
    """An alert, from a training or from a rule. Its texts are untrusted: never insert them as HTML."""

    id: str
    run: str
    rule: str | None
    """The rule that raised it; null for one that the training recorded and no rule has sent."""
    title: str
    text: str
    """In Markdown by convention."""
    level: Level
    step: int | None
    wall_time: Number
    """Seconds since 1970."""
    is_acknowledged: bool
    is_muted: bool
    """Whether the run or the rule is muted at present."""
    deliveries: list[AlertDelivery]


class ListedRule(BaseModel):
    """A rule of --alerts, or one that was made on the page."""

    name: str
    when: str
    runs: str
    """A search; "": all runs."""
    level: Level
    made: Number | None
    """When it was made on the page, in seconds since 1970; null: it is one of --alerts."""
    is_muted: bool


class AlertList(BaseModel):
    """Alerts, newest first."""

    revision: int
    alerts: list[Alert]
    total: int
    new: dict[str, int]
    """How many alerts are neither acknowledged nor muted, by run; without runs that have none."""
    rules: list[ListedRule]
    """The rules that are watched, or were watched last."""
    muted_runs: list[str]
    read_only: bool
    """Whether alerts can be neither acknowledged nor muted, and rules neither made nor deleted."""
    problems: list[str]
    """Why some could not be read, one sentence each."""


class AcknowledgedBody(BaseModel):
    """Alerts that were seen."""

    model_config = ConfigDict(strict=True, extra="forbid")

    ids: list[Annotated[str, Field(max_length=100)]] = Field(min_length=1, max_length=_MAX_IDS)


class MutedRun(BaseModel):
    """A run whose alerts are muted, or no longer."""

    model_config = ConfigDict(strict=True, extra="forbid")

    run: Annotated[str, Field(max_length=MAX_NAME)]
    is_muted: bool


class MutedRule(BaseModel):
    """A rule whose alerts are muted, or no longer."""

    model_config = ConfigDict(strict=True, extra="forbid")

    rule: Annotated[str, Field(max_length=MAX_NAME)]
    is_muted: bool


class AlertMarks(BaseModel):
    """What is muted after a change."""

    muted_runs: list[str]
    muted_rules: list[str]


@router.get("/alerts", response_model=AlertList, responses=REQUEST_ERRORS)
def list_alerts(request: Request, current: Current, query: Annotated[AlertsQuery, Query()]) -> Response:
    """List the alerts that trainings recorded and rules raised, newest first.

    Those of runs that no longer exist are left out.
    """
    chosen = {run.name: run for run in find_runs(current, query.run)}
    store, recorded = store_of(request).current(), _recorded(request).of(chosen)
    raised = [alert for alert in store.alerts.values() if alert.run in chosen]
    sent = {alert.recorded for alert in raised}
    listed = [alert for alerts in recorded.values() for alert in alerts if alert.id not in sent]
    described = [*(_describe(alert, store) for alert in raised), *(_describe(alert, store) for alert in listed)]
    described.sort(key=lambda alert: (alert["wall_time"], alert["id"]), reverse=True)
    new: dict[str, int] = {}
    for alert in described:
        if not (alert["is_acknowledged"] or alert["is_muted"]):
            new[alert["run"]] = new.get(alert["run"], 0) + 1
    return json_reply(
        {
            "revision": current.revision,
            "alerts": [{**each, "wall_time": json_number(each["wall_time"])} for each in described[: query.limit]],
            "total": len(described),
            "new": new,
            "rules": [describe_rule(rule, store) for rule in (*store.rules.rules, *store.page_rules)],
            "muted_runs": store.marks.muted_runs,
            "read_only": _is_read_only(request),
            "problems": store.problems,
        }
    )


@router.post(
    "/alerts/acknowledged",
    response_model=AcknowledgedBody,
    responses={**WRITE_REPLIES, **body_errors(_MAX_BYTES)},
    max_body_size=_MAX_BYTES,
)
def acknowledge_alerts(request: Request, body: Annotated[AcknowledgedBody, Body()]) -> Response:
    """Mark alerts as seen."""
    store = writable_store(request)
    with storing("the change", store.path):
        store.acknowledge(body.ids)
    return json_reply(body.model_dump())


@router.put(
    "/alerts/muted",
    response_model=AlertMarks,
    responses={**WRITE_REPLIES, **body_errors(_MAX_BYTES)},
    max_body_size=_MAX_BYTES,
)
def mute_alerts(request: Request, body: Annotated[MutedRun | MutedRule, Body()]) -> Response:
    """Mute the alerts of a run or of a rule, or end that: muted ones are listed, and neither counted nor sent."""
    store = writable_store(request)
    try:
        with storing("the change", store.path):
            store.mute(**body.model_dump())
    except TooManyMutedError as error:
        raise HTTPException(422, str(error)) from None
    marks = store.current().marks
    return json_reply({"muted_runs": marks.muted_runs, "muted_rules": marks.muted_rules})


def _describe(alert: RaisedAlert | ListedAlert, store: AlertsSnapshot) -> dict[str, Any]:
    rule, deliveries = (alert.rule, alert.deliveries) if isinstance(alert, RaisedAlert) else (None, {})
    return {
        "id": alert.id,
        "run": alert.run,
        "rule": rule,
        "title": alert.title,
        "text": alert.text,
        "level": alert.level,
        "step": alert.step,
        "wall_time": alert.wall_time,
        "is_acknowledged": alert.id in store.marks.acknowledged,
        "is_muted": store.is_muted(alert.run, rule),
        "deliveries": [
            {"to": name, "sent": each.sent, "problem": each.problem, "is_over": each.is_over}
            for name, each in deliveries.items()
        ],
    }


def describe_rule(rule: KnownRule | PageRule, store: AlertsSnapshot) -> dict[str, Any]:
    """Return a ListedRule."""
    return {"made": None, **rule.model_dump(), "is_muted": rule.name in store.marks.muted_rules}


def store_of(request: Request) -> Alerts:
    """Return the alerts of the logdir."""
    store: Alerts = request.app.state.alerts
    return store


def _recorded(request: Request) -> RecordedAlerts:
    recorded: RecordedAlerts = request.app.state.recorded_alerts
    return recorded


def _is_read_only(request: Request) -> bool:
    return isinstance(notes_of(request), NoNotes)


def writable_store(request: Request) -> Alerts:
    """Return the alerts of the logdir, which can be changed, or reply 403."""
    if _is_read_only(request):
        raise HTTPException(403, "the server is read-only: it was started with --read-only and changes no alerts")
    return store_of(request)
