"""Objects that belong to one process: copying or pickling them is an error that says what to do instead."""

from typing import Any, ClassVar


class NotCopied:
    """The base of classes whose objects hold files, threads or a training that runs."""

    _why_not_copied: ClassVar[str]
    """Why an object cannot be copied, and what to do instead."""

    def __reduce__(self) -> Any:
        """Raise TypeError: the object cannot be copied."""
        name = type(self).__name__
        raise TypeError(
            f"A {name} cannot be copied or pickled, as {self._why_not_copied}. "
            f"Leave it out of objects that are copied (__getstate__)."
        )
