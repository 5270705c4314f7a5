"""The exceptions of W&B's package, for code that names them. Only strict mode raises them."""


class Error(Exception):
    """The base class."""


class CommError(Error):
    """Communication with a server failed: never raised, there is no server."""


class UsageError(Error):
    """A call that W&B refuses, or that has no effect here."""
