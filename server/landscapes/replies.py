"""What is replied of a loss landscape."""

from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from toposcope.server.api.array_reply import nested
from toposcope.server.api.json_reply import Number, numbers
from toposcope.server.json_values import in_json
from toposcope.server.landscapes.details import Details
from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.landscapes.landscape_query import Chosen, LandscapeQuery, read
from toposcope.server.landscapes.significant_digits import round_to_digits
from toposcope.server.reading.series import Float64s


class PathReply(BaseModel):
    """Checkpoints of the training on the surface; all lists of one length, or no intervals."""

    x: list[Number]
    y: list[Number]
    z: list[Number]
    intervals: list[int]
    """The epoch or step (see the metadata's unit) of each checkpoint."""


class LandscapeMetadata(BaseModel):
    """How a landscape was made; null what the file does not say."""

    decomposition: str | None
    """"PCA", "Random", ..."""
    unit: str | None
    """Of the intervals: "epoch" or "step"."""
    step_per_epoch: int | None


class MeasuredReply(BaseModel):
    """The nodes that were measured; x, y and z of the landscape are interpolated between them."""

    x: list[Number]
    y: list[Number]
    z: list[list[Number]]
    """Losses: z[i][j] belongs to y[i], x[j]."""
    known: list[list[bool]]
    """False: not measured yet."""
    standard_error: list[list[Number]]
    levels: int
    """The last level planned; a level has 2 ** level + 1 nodes a side."""


class TruthReply(BaseModel):
    """One number for each checkpoint of the path."""

    real: list[Number]
    """Its own loss."""
    plane: list[Number]
    """The loss of its projection on the plane."""
    residual: list[Number]
    """Its distance from the plane over its distance from the origin."""
    standard_error: list[Number]
    """Of its own loss."""


class DiagnosticsReply(BaseModel):
    """What tells how far a landscape can be trusted; lists of an axis each have a number an axis, or none."""

    axes: str
    energy: list[Number]
    random_walk_energy: list[Number]
    is_random_walk: bool
    axis_lengths: list[Number]
    axis_cosine: Number
    samples: int
    seed: int | None
    buffers: str
    is_flat: bool
    interpolation_error: Number | None
    eigenvalues: list[Number]
    ritz_residuals: list[Number]
    curvature: list[Number]
    provenance: dict[str, str]


class NoDiagnostics(BaseModel):
    """An empty object: what others than our recorder made tells nothing."""

    model_config = ConfigDict(extra="forbid")


class Publications(BaseModel):
    """All landscapes of a tag, the oldest first."""

    step: list[int]
    wall_time: list[Number]


class LandscapeReply(BaseModel):
    """A surface of losses."""

    run: str
    tag: str
    rank: int
    step: int
    wall_time: Number
    """Seconds since 1970."""
    steps: list[int]
    """The steps at which the tag has landscapes, in ascending order."""
    publication: int
    """Which of the publications it is."""
    publications: Publications
    error: str | None
    """Why it cannot be shown; then what follows is empty."""
    kind: Literal["interval", "final"] | None
    """The landscape of a stretch of the training, whose path has intervals, or the one around its end."""
    x: list[Number]
    y: list[Number]
    z: list[list[Number]]
    """Losses: z[i][j] belongs to y[i], x[j]; empty, too, when there are more of them than asked for."""
    path: PathReply | None
    convergence_point: list[Number] | None
    """x, y and loss where the training ended."""
    metadata: LandscapeMetadata
    level: int | None
    """Refinement so far; null for a landscape that was made in one go."""
    measured: MeasuredReply | None
    """Null, as the next, of what others than our recorder made."""
    truth: TruthReply | None
    diagnostics: DiagnosticsReply | NoDiagnostics


class Landscapes(BaseModel):
    """The landscapes that matched, by run and tag."""

    revision: int
    landscapes: list[LandscapeReply]
    total: int
    """How many matched; more than are here when the limit is lower."""
    missing: list[str]
    """Tags asked for that no landscape of the runs has."""


_DIGITS_OF_ERRORS = 3


def entry(chosen: Chosen, most_bytes: int, query: LandscapeQuery) -> dict[str, Any]:
    """Return a LandscapeReply for json_reply; its error says what is wrong, or that it has too many bytes.

    Args:
        chosen: which landscape.
        most_bytes: that its message may have.
        query: how many losses of the surface may be replied, more of them are left out; and with how many digits.
    """
    found, error = None, None
    try:
        found = read(chosen, most_bytes)
    except ValueError as reason:
        error = str(reason)
    payloads, row = chosen.payloads, chosen.row
    described = {
        "run": chosen.run.name,
        "tag": chosen.tag,
        "rank": chosen.rank,
        "step": int(payloads.step[row]),
        "wall_time": float(payloads.wall_time[row]),
        "error": error,
        "kind": found.kind if found else None,
        "metadata": {name: found.metadata.get(name) if found else None for name in LandscapeMetadata.model_fields},
    }
    publications = {"step": np.ascontiguousarray(payloads.step), "wall_time": numbers(payloads.wall_time)}
    return {
        **in_json(described),
        **_columns(found, query),
        **_details(found.details if found else None, query.digits),
        "steps": np.unique(payloads.step),
        "publication": row,
        "publications": publications,
    }


def _columns(found: Landscape | None, query: LandscapeQuery) -> dict[str, Any]:
    if found is None:
        return {"x": [], "y": [], "z": [], "path": None, "convergence_point": None}
    return {
        "x": numbers(found.x),
        "y": numbers(found.y),
        "z": nested(_rounded(found.z, query.digits)) if query.most is None or found.z.size <= query.most else [],
        "path": None if found.path is None else _named(found.path._asdict()),
        "convergence_point": None if found.convergence_point is None else numbers(found.convergence_point),
    }


def _details(details: Details | None, digits: int | None) -> dict[str, Any]:
    if details is None:
        return {"level": None, "measured": None, "truth": None, "diagnostics": {}}
    nodes = details.measured
    errors = _rounded(nodes.standard_error, digits and _DIGITS_OF_ERRORS)
    measured = _named(nodes._replace(z=_rounded(nodes.z, digits), standard_error=errors)._asdict())
    return {
        "level": measured.pop("level"),
        "measured": measured,
        "truth": None if details.truth is None else _named(details.truth._asdict()),
        "diagnostics": in_json(details.diagnostics),
    }


def _named(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: nested(value) if isinstance(value, np.ndarray) else value for name, value in columns.items()}


def _rounded(values: Float64s, digits: int | None) -> Float64s:
    return values if digits is None else round_to_digits(values, digits)
