"""Addresses of single values, such as the data of an image: their content never changes, so that browsers cache it."""

from typing import Any

import numpy as np
from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.payloads.payload_query import PayloadQuery, Point, Series, point_at
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import find_runs
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL
from toposcope.server.values.audio import MAX_CLIPS
from toposcope.server.values.image import MAX_IMAGES

_ONE_YEAR = 31_536_000


class PayloadAddress(BaseModel):
    """Selects one item of a value; the listing of the series returns such URLs."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    tag: str = Field(max_length=MAX_NAME, description="name of a tag of the run")
    file: str = Field(max_length=MAX_NAME, description="name of an event file of the run")
    inode: int = Field(ge=0, lt=2**64, description="inode of the file, which changes when the file is replaced")
    record: int = Field(ge=0, lt=2**63, description="offset of the record in the file")
    start: int = Field(ge=0, lt=2**32, description="offset of the value in the record")
    index: int = Field(0, ge=0, lt=max(MAX_IMAGES, MAX_CLIPS), description="index of the item in the value")

    @property
    def etag(self) -> str:
        """The ETag of the item."""
        return f'"{self.inode:x}-{self.record:x}-{self.start:x}-{self.index:x}"'

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a reply whose content never changes."""
        return {"ETag": self.etag, "Cache-Control": f"private, max-age={_ONE_YEAR}, immutable"}


def address_of(query: PayloadQuery, point: Point) -> dict[str, Any]:
    """Return the parameters of PayloadAddress, except index."""
    location = {"run": query.run, "tag": query.tag, "file": point.file, "inode": point.inode}
    return location | {"record": point.record, "start": point.start}


def find_payload(current: Snapshot, plugin: str, address: PayloadAddress) -> tuple[Series, int]:
    """Return the series and row of a value; only values in the snapshot are served.

    Raises:
        HTTPException: 404 if there is no such value.
    """
    runs = find_runs(current, [address.run])
    run, tag = runs[0], Tag(plugin, address.tag)
    for rank in run.ranks_of(tag, ALL):
        payloads = run.payloads(tag, rank, ALL)
        series = Series(run, rank, payloads)
        for row in np.flatnonzero((payloads.record == address.record) & (payloads.start == address.start)).tolist():
            point = point_at(series, row)
            if (point.file, point.inode) == (address.file, address.inode):
                return series, row
    location = f"{address.file!r}, record {address.record}, start {address.start}"
    raise HTTPException(404, f"no {plugin} of tag {address.tag!r} in run {address.run!r} at {location}")
