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
        self._stream, self._see = stream, see
        self._original = stream.write
        self._is_attribute = "write" in vars(stream)  # Another wrapper has set it.
        self.is_active = True
        self._write = self._wrapped()
        stream.write = self._write

    def restore(self) -> None:
        """Restore the method, now or with the wrappers around it; one that is not ours continues to call it."""
        self.is_active = False
        while (outermost := getattr(vars(self._stream).get("write"), "wrapped", None)) and not outermost.is_active:
            outermost._unwrap()

    def _unwrap(self) -> None:
        if self._is_attribute:
            self._stream.write = self._original
        else:
            del self._stream.write

    def _wrapped(self) -> Callable[..., Any]:
        original = self._original

        def write(*arguments: Any, **keywords: Any) -> Any:
            written = original(*arguments, **keywords)
            try:
                if self.is_active:
                    self._see(*arguments)
            except Exception:  # print() must not fail because of us.
                return written
            return written

        write.wrapped = self  # type: ignore[attr-defined]
        return write
