"""Names in an exception the class of the callback that raised it."""

from collections.abc import Iterator
from contextlib import contextmanager


def name_callback(error: Exception, callback: object) -> None:
    """Note the class of the callback that raised an exception, of several the innermost."""
    if callback_that_raised(error) is None:
        BaseException.__setattr__(error, "_toposcope_callback", type(callback))


@contextmanager
def naming_callback(callback: object) -> Iterator[None]:
    """Note the class of a callback in the exception that it raises."""
    try:
        yield
    except Exception as error:
        name_callback(error, callback)
        raise


def callback_that_raised(error: Exception) -> type | None:
    """Return the class of the callback that raised an exception; None if it comes from elsewhere."""
    return getattr(error, "_toposcope_callback", None)
