"""WrappedWrite: the method write of a stream, wrapped so that another function sees what is written."""

from collections.abc import Callable
from typing import Any


class WrappedWrite:
    """A wrapped stream. It stays the same object: only its attribute "write" is another one, until restore().

    So everything that already holds the stream, a logging handler for example, is seen, and isatty(), fileno(), buffer
    and all else are the stream's own. Nothing is done with file descriptors.
    """

    def __init__(self, stream: Any, see: Callable[[str], None]) -> None:
        """Wrap the stream; see is called with each text after it was written.

        Raises:
            AttributeError: attributes of the stream cannot be set.
            TypeError: likewise.
        """
        self._stream = stream
        self._original = stream.write
        self._is_attribute = "write" in vars(stream)  # Another wrapper has set it.
        self._write = _wrapped(self._original, see)
        stream.write = self._write

    def restore(self) -> None:
        """Restore the method, unless something else has replaced it since; that continues to call ours."""
        if vars(self._stream).get("write") is not self._write:
            return
        if self._is_attribute:
            self._stream.write = self._original
        else:
            del self._stream.write


def _wrapped(original: Callable[..., Any], see: Callable[[str], None]) -> Callable[..., Any]:
    def write(*arguments: Any, **keywords: Any) -> Any:
        written = original(*arguments, **keywords)
        try:
            see(*arguments)
        except Exception:  # print() must not fail because of us.
            return written
        return written

    return write
