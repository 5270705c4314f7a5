"""The encoded bytes of recorded images."""

from base64 import b64encode

import numpy as np

from toposcope.server.questions.answers import RecordedImage
from toposcope.server.questions.opening.opened import Opened, UnknownNameError, find_run
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.selection.chosen_series import Choice, payloads
from toposcope.server.values.image import read_images


def read_image(opened: Opened, run: str, tag: str, step: int | None = None) -> RecordedImage:
    """Return an image as it was recorded; of several in a value, the first.

    Args:
        opened: the logdir.
        run: its name.
        tag: an image tag.
        step: None: the last one.

    Raises:
        UnknownNameError: there is no such run, tag or step.
        OSError: the image cannot be read at present.
        ValueError: the image is damaged.
    """
    view = find_run(opened.runs, run)
    ranks = view.ranks_of(Tag("image", tag))
    if not ranks:
        raise UnknownNameError(f"there is no image tag {tag!r} in run {run!r}")
    series = payloads(view, Tag("image", tag), ranks[0], Choice())
    rows = np.arange(series.total) if step is None else np.flatnonzero(series.step == step)
    if not len(rows):
        raise UnknownNameError(f"there is no image of {tag!r} at step {step} in run {run!r}")
    row = int(rows[-1])
    images = read_images(read_payload(view, series, row), KINDS[series.kind[row]])
    if not images:
        raise ValueError(f"the value of {tag!r} at step {int(series.step[row])} has no images")
    return RecordedImage(run, tag, int(series.step[row]), b64encode(images[0].encoded).decode())
