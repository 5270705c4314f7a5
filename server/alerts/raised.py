"""Alerts that rules have raised, as they are stored, and how far they have been sent."""

from pydantic import BaseModel, ConfigDict

from toposcope.server.data_files.data_folder import hashed
from toposcope.server.values.alert import Level

_ID_DIGITS = 16


class Delivery(BaseModel):
    """The delivery of an alert to one destination."""

    model_config = ConfigDict(frozen=True)

    sent: float | None = None
    """When it was delivered, in seconds since 1970; None: it was not."""
    attempts: int = 0
    problem: str | None = None
    """Why the last attempt failed."""
    is_over: bool = False
    """Whether it was given up."""

    @property
    def is_pending(self) -> bool:
        """Whether it is still to be delivered."""
        return self.sent is None and not self.is_over


class RaisedAlert(BaseModel):
    """An alert, and the rule that raised it."""

    model_config = ConfigDict(frozen=True)

    id: str
    run: str
    rule: str
    rule_key: str
    """Identifies the rule with its condition."""
    number: int
    """How many alerts the rule has raised for the run before."""
    recorded: str | None
    """The id of the recorded alert that it is about; None for others."""
    title: str
    text: str
    level: Level
    step: int | None
    wall_time: float
    """Seconds since 1970."""
    deliveries: dict[str, Delivery] = {}
    """The deliveries, by the name of the destination."""


def id_of(*parts: object) -> str:
    """Return the id of the alert that some values identify."""
    return hashed("\0".join(map(str, parts)))[:_ID_DIGITS]
