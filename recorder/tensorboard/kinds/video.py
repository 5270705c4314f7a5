"""Videos as animated GIF in TensorBoard's Summary.Image."""

from typing import NamedTuple

from toposcope.proto.framing import Buffer
from toposcope.recorder.tensorboard.kinds.image import bytes_of, image_field
from toposcope.recorder.values.video import VideoFrames, gif_of


class VideoValue(NamedTuple):
    """Videos of the same size, side by side."""

    video: VideoFrames

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return image_field(gif_of(bytes_of(self.video.frames()), self.video.fps))
