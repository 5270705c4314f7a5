"""Video: frames, or the file of a video, recorded as an animated GIF that the page draws."""

import io
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import Buffer
from toposcope.recorder.tensorboard.kinds.image import image_field
from toposcope.recorder.tensorboard.kinds.video import VideoValue
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.image import Image
from toposcope.recorder.values.video import VideoFrames, checked_fps
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.media.drawn_values import Drawn
from toposcope.recorder.wandb.media.media_files import NewFile, copied, file_text, is_file
from toposcope.recorder.wandb.media.pixels import as_uint8
from toposcope.recorder.wandb.reports import guarded_media, report_ignored

_FPS = 4


class GifValue(NamedTuple):
    """An animated GIF that is already encoded."""

    content: bytes

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        from PIL import Image as Pillow

        width, height = Pillow.open(io.BytesIO(self.content)).size
        return image_field(Image(height, width, 3, self.content))


@guarded_media
class Video:
    """A video, recorded as an animated GIF; a file of another format is kept as it is."""

    def __init__(
        self,
        data_or_path: Any,
        caption: str | None = None,
        fps: int | None = None,
        format: str | None = None,
        **ignored: Any,
    ) -> None:
        """Take frames [T, C, H, W] or [N, T, C, H, W], the path of a file, or an open file.

        Frames are recorded as GIF. Several videos are side by side.

        Raises:
            ValueError: the shape is another one.
            FileNotFoundError: there is no such file.
        """
        report_ignored("Video", ignored)
        self._caption, self._format, self._fps = caption, format, checked_fps(fps or _FPS)
        self._source = data_or_path if is_file(data_or_path) else None
        self._frames = None if self._source is not None else _videos(data_or_path)
        if self._frames is not None and format not in (None, "gif"):
            report_ignored("Video", {"format": format}, {"format": "frames are recorded as GIF."})

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the video, or a text with the path of the file, and the caption."""
        items: dict[str, Any] = {"/caption": Text(str(self._caption))} if self._caption else {}
        if self._frames is not None:
            value = VideoValue(VideoFrames(array_from(self._frames), "NTCHW", self._fps))
            return {"": Drawn(value, self._frames.nbytes), **items}
        path = copied(self._source, new_file, "videos", f".{self._format or 'gif'}")
        if path.suffix.lower() == ".gif":
            return {"": Drawn(GifValue(path.read_bytes()), path.stat().st_size), **items}
        return {"/file": file_text("Video", path, self._caption)}


def _videos(data: Any) -> npt.NDArray[np.uint8]:
    """Return videos as uint8 [N, T, 1 or 3 channels, H, W]."""
    frames = array_from(data).numbers()
    videos = frames[np.newaxis] if frames.ndim == 4 else frames
    if videos.ndim != 5 or videos.shape[2] not in (1, 3, 4) or not videos.size:
        raise ValueError(f"A video has the shape [time, 1, 3 or 4 channels, height, width], not {frames.shape}.")
    pixels: npt.NDArray[np.uint8] = as_uint8(videos)
    return pixels[:, :, :3] if videos.shape[2] == 4 else pixels
