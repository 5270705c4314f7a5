"""Panes of landscapes on the page, and the publication of landscapes."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder import SummaryRecord


def publish(folder: Path, tag: str, message: LossLandscape) -> None:
    """Write a landscape like a computation, into the folder of the training."""
    with SummaryRecord(str(folder)) as record:
        record.add_value("landscape", tag, message)
        record.record(0)


def pane(page: Page, tag: str, run: str) -> Locator:
    """Return the pane of a landscape."""
    return page.locator(f"landscape-pane[data-run={json.dumps(run)}][data-tag={json.dumps(tag)}]")


def drawn(shown: Locator) -> Any:
    """Return the landscape that a pane draws, as stored by the page: surfaces row by row, NaN as None."""
    return shown.evaluate(
        "pane => JSON.parse(JSON.stringify(pane.model.landscape, "
        "(_, value) => ArrayBuffer.isView(value) ? [...value] : value))"
    )
