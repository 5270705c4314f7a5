"""The exceptions of W&B's package, for code that names them. Only strict mode raises them."""


class Error(Exception):
    """The base class."""


class CommError(Error):
    """Communication with a server failed: never raised, there is no server."""


class UsageError(Error):
    """A call that W&B refuses, or that has no effect here."""


class AuthenticationError(CommError):
    """An account is not accepted: never raised, there are no accounts."""


class UnsupportedError(UsageError):
    """A call is not supported."""


class WaitTimeoutError(Error):
    """Waiting for a server took too long: never raised."""
