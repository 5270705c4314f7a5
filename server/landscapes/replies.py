"""Replies with loss landscapes."""

from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from toposcope.server.api.replies.array_reply import nested
from toposcope.server.api.replies.json_reply import Number, json_numbers
from toposcope.server.landscapes.details import Details
from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.landscapes.landscape_query import LandscapeQuery, SelectedLandscape, read_selected
from toposcope.server.landscapes.significant_digits import round_to_digits
from toposcope.server.reading.series.series import Float64s
from toposcope.server.text.json_values import json_value


class PathReply(BaseModel):
    """Checkpoints of the training on the surface; all lists have the same length, but intervals may be empty."""

    x: list[Number]
    y: list[Number]
    z: list[Number]
    intervals: list[int]
    """The epoch or step of each checkpoint, depending on the unit of the metadata."""


class LandscapeMetadata(BaseModel):
    """How a landscape was computed; null if the file does not state it."""

    decomposition: str | None
    """"PCA", "Random", ..."""
    unit: str | None
    """Unit of the intervals: "epoch" or "step"."""
    step_per_epoch: int | None


class MeasuredReply(BaseModel):
    """The measured nodes; x, y and z of the landscape are interpolated between them."""

    x: list[Number]
    y: list[Number]
    z: list[list[Number]]
    """Losses: z[i][j] belongs to y[i], x[j]."""
    known: list[list[bool]]
    """False for nodes that have not been measured."""
    standard_error: list[list[Number]]
    levels: int
    """The last planned level; a level has 2 ** level + 1 nodes per axis."""
    difference_error: list[list[Number]] | None
    """Standard errors of the differences from the loss of the same samples at x = 0, y = 0; null if unknown."""


class PathLossesReply(BaseModel):
    """The losses of the checkpoints of the path; one number per checkpoint."""

    real: list[Number]
    """The loss of the checkpoint itself."""
    plane: list[Number]
    """The loss of its projection on the plane."""
    residual: list[Number]
    """The ratio of its distance from the plane to its distance from the origin."""
    standard_error: list[Number]
    """Standard error of `real`."""
    gap_error: list[Number] | None
    """Standard error of the difference between `real` and `plane`, of the same samples; null if unknown."""


class DiagnosticsReply(BaseModel):
    """Diagnostics of the quality of a landscape; lists per axis have one number for each axis, or are empty."""

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
    """Whether no loss differs from that at x = 0, y = 0 by more than noise."""
    units: int | None
    """Number of losses that standard errors are computed from: samples, or batches if only their means are known."""
    differing_nodes: int | None
    """Number of measured nodes whose loss differs from that at x = 0, y = 0 by more than noise. Null: not computed, and
    is_flat is from the standard errors of the losses instead of their differences."""
    random_walk_residual: Number | None
    """Median of `residual` for the random walk of random_walk_energy."""
    interpolation_error: Number | None
    eigenvalues: list[Number]
    ritz_residuals: list[Number]
    curvature: list[Number]
    provenance: dict[str, str]


class NoDiagnostics(BaseModel):
    """An empty object, if the landscape was not recorded by Toposcope."""

    model_config = ConfigDict(extra="forbid")


class Publications(BaseModel):
    """All landscapes of a tag, oldest first."""

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
    """Index of the landscape in the publications."""
    publications: Publications
    error: str | None
    """Why the landscape cannot be read; then the following fields are empty."""
    kind: Literal["interval", "final"] | None
    """interval: of an interval of the training, whose path has intervals; final: around the end of the training."""
    x: list[Number]
    y: list[Number]
    z: list[list[Number]]
    """Losses: z[i][j] belongs to y[i], x[j]; empty if there are more than requested."""
    path: PathReply | None
    convergence_point: list[Number] | None
    """x, y and loss where the training ended."""
    metadata: LandscapeMetadata
    level: int | None
    """The last completed level of refinement; null if the landscape was not refined."""
    measured: MeasuredReply | None
    """Null, like truth, if the landscape was not recorded by Toposcope."""
    truth: PathLossesReply | None
    diagnostics: DiagnosticsReply | NoDiagnostics


class Landscapes(BaseModel):
    """The selected landscapes, by run and tag."""

    revision: int
    landscapes: list[LandscapeReply]
    total: int
    """Number of selected landscapes, listed or not."""
    missing: list[str]
    """Requested tags that none of the runs has."""


_DIGITS_OF_ERRORS = 2


def landscape_reply(selected: SelectedLandscape, most_bytes: int, query: LandscapeQuery) -> dict[str, Any]:
    """Return a LandscapeReply for json_reply.

    Args:
        selected: the landscape.
        most_bytes: limit on the size of its message; a larger one is reported as the error of the reply.
        query: its limit on the number of losses, and their digits.
    """
    landscape, error = None, None
    try:
        landscape = read_selected(selected, most_bytes)
    except ValueError as reason:
        error = str(reason)
    metadata = landscape.metadata if landscape else {}
    payloads, row = selected.payloads, selected.row
    described = {
        "run": selected.run.name,
        "tag": selected.tag,
        "rank": selected.rank,
        "step": int(payloads.step[row]),
        "wall_time": float(payloads.wall_time[row]),
        "error": error,
        "kind": landscape.kind if landscape else None,
        "metadata": {name: metadata.get(name) for name in LandscapeMetadata.model_fields},
    }
    publications = {"step": np.ascontiguousarray(payloads.step), "wall_time": json_numbers(payloads.wall_time)}
    return {
        **json_value(described),
        **_columns(landscape, query),
        **_details(landscape.details if landscape else None, query.digits),
        "steps": np.unique(payloads.step),
        "publication": row,
        "publications": publications,
    }


def _columns(landscape: Landscape | None, query: LandscapeQuery) -> dict[str, Any]:
    if landscape is None:
        return {"x": [], "y": [], "z": [], "path": None, "convergence_point": None}
    has_losses = query.most is None or landscape.z.size <= query.most
    return {
        "x": json_numbers(landscape.x),
        "y": json_numbers(landscape.y),
        "z": nested(_rounded(landscape.z, query.digits)) if has_losses else [],
        "path": None if landscape.path is None else _json_columns(landscape.path._asdict()),
        "convergence_point": None if landscape.convergence_point is None else json_numbers(landscape.convergence_point),
    }


def _details(details: Details | None, digits: int | None) -> dict[str, Any]:
    if details is None:
        return {"level": None, "measured": None, "truth": None, "diagnostics": {}}
    nodes = details.measured
    few = digits and _DIGITS_OF_ERRORS
    rounded = nodes._replace(
        z=_rounded(nodes.z, digits),
        standard_error=_rounded(nodes.standard_error, few),
        difference_error=None if nodes.difference_error is None else _rounded(nodes.difference_error, few),
    )
    measured = _json_columns(rounded._asdict())
    return {
        "level": measured.pop("level"),
        "measured": measured,
        "truth": None if details.truth is None else _json_columns(details.truth._asdict()),
        "diagnostics": json_value(details.diagnostics),
    }


def _json_columns(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: nested(value) if isinstance(value, np.ndarray) else value for name, value in columns.items()}


def _rounded(values: Float64s, digits: int | None) -> Float64s:
    return values if digits is None else round_to_digits(values, digits)
