"""Videos that log() records as animated GIF among the images."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import PIL.ImageSequence
import pytest
from support.recorded_run import run_in

from toposcope.recorder import SummaryRecord
from toposcope.recorder.record.logged_values import logged_values
from toposcope.recorder.values.wrapped import Video

CLIPS = np.random.default_rng(0).integers(0, 2, (3, 4, 3, 5, 7), np.uint8) * np.uint8(255)


def frames_of(encoded: bytes) -> Any:
    """Return the frames of a GIF as [T, H, W, C]."""
    with PIL.Image.open(io.BytesIO(encoded)) as video:
        return np.asarray([np.asarray(frame.convert("RGB")) for frame in PIL.ImageSequence.Iterator(video)])


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_frames_are_those_that_were_logged(tmp_path: Path, dtype: Any) -> None:
    """Two videos are side by side; floats are in the range 0 to 1."""
    clips = CLIPS[:2] if dtype == np.uint8 else CLIPS[:2].astype(dtype) / 255
    with SummaryRecord(tmp_path) as recorder:
        recorder.log({"video": Video(clips, fps=20)}, 3)
        recorder.log({"video": Video(clips[0].transpose(0, 2, 3, 1)[None], "NTHWC")}, 4)

    images = run_in(tmp_path).images("video")
    assert images.step.tolist() == [3, 4]
    both = np.concatenate(list(CLIPS[:2]), axis=3).transpose(0, 2, 3, 1)
    assert np.array_equal(frames_of(images[0][0].encoded), both)
    assert np.array_equal(frames_of(images[1][0].encoded), CLIPS[0].transpose(0, 2, 3, 1))
    with PIL.Image.open(io.BytesIO(images[0][0].encoded)) as video:
        assert (video.format, video.info["duration"]) == ("GIF", 50)


@pytest.mark.parametrize(
    ("video", "error", "text"),
    [
        (Video(CLIPS[0]), ValueError, "NTCHW"),
        (Video(CLIPS[..., :0]), ValueError, "not empty"),
        (Video(CLIPS, "NTCH"), ValueError, "order of 'NTCHW'"),
        (Video(CLIPS, fps=0), ValueError, "fps must be positive"),
        (Video(CLIPS.astype(complex)), TypeError, "complex"),
        (Video("clip.mp4"), TypeError, "clip.mp4"),
    ],
)
def test_other_arguments_are_refused(video: Video, error: type[Exception], text: str) -> None:
    """The message names the tag."""
    with pytest.raises(error, match=text) as raised:
        logged_values({"video": video})
    assert "'video'" in str(raised.value)
