"""Audio: samples, or the file of a sound, recorded so that the page plays it."""

import mimetypes
import wave
from pathlib import Path
from typing import Any, NamedTuple

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_plugins_pb2 import Audio as AudioMessage
from toposcope.proto.wire import bytes_head
from toposcope.recorder.tensorboard.kinds.audio import AudioValue, audio_axes, checked_rate
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.media.drawn_values import Drawn
from toposcope.recorder.wandb.media.media_files import NewFile, copied, file_text, is_file
from toposcope.recorder.wandb.reports import guarded_media, report_ignored

_AUDIO = 6


class SoundFile(NamedTuple):
    """The content of a sound file."""

    content: bytes
    content_type: str
    sample_rate: int
    channels: int
    frames: int

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        message = AudioMessage(
            sample_rate=self.sample_rate,
            num_channels=self.channels,
            length_frames=self.frames,
            encoded_audio_string=self.content,
            content_type=self.content_type,
        ).SerializeToString()
        return [bytes_head(_AUDIO, len(message)), message]


@guarded_media
class Audio:
    """A sound."""

    def __init__(
        self, data_or_path: Any, sample_rate: int | None = None, caption: str | None = None, **ignored: Any
    ) -> None:
        """Take samples [T] or [T, 1 or 2 channels], floats in -1..1 or int16, or the path of a file.

        Raises:
            ValueError: the sample rate is missing or invalid, or the shape of the samples is another one.
            FileNotFoundError: there is no such file.
        """
        report_ignored("Audio", ignored)
        self._caption = caption
        self._source = data_or_path if is_file(data_or_path) else None
        self._value: AudioValue | None = None
        if self._source is None:
            if sample_rate is None:
                raise ValueError("The samples of an Audio need a sample_rate.")
            array = array_from(data_or_path)
            audio_axes(array.numbers())
            self._value = AudioValue(array, checked_rate(sample_rate))

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the sound, or a text with the path of a file that is not one, and the caption."""
        items: dict[str, Any] = {"/caption": Text(str(self._caption))} if self._caption else {}
        if self._value is not None:
            return {"": Drawn(self._value, self._value.array.values.nbytes), **items}
        path = copied(self._source, new_file, "audio", ".wav")
        sound = _sound_file(path)
        if sound is None:
            return {"/file": file_text("Audio", path, self._caption)}
        return {"": Drawn(sound, len(sound.content)), **items}


def _sound_file(path: Path) -> SoundFile | None:
    """Return the content of a file; None if its name is not one of a sound."""
    content_type, _ = mimetypes.guess_type(path.name)
    if content_type is None or not content_type.startswith("audio/"):
        return None
    content = path.read_bytes()
    if path.suffix.lower() != ".wav":
        return SoundFile(content, content_type, 0, 0, 0)
    try:
        with wave.open(str(path)) as file:
            return SoundFile(content, "audio/wav", file.getframerate(), file.getnchannels(), file.getnframes())
    except (wave.Error, EOFError):  # Samples of another format than integers.
        return SoundFile(content, "audio/wav", 0, 0, 0)
