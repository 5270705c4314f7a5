"""Inert names: parts of W&B's API that have no effect here. Using one warns once and returns an inert object."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from toposcope.recorder.wandb.reports import REPORTS

_REASONS = {
    "login": "there is no account: runs are recorded into files.",
    "save": "files are not copied; what is in the run's directory stays there.",
    "agent": "there are no sweeps, and the function is not called.",
    "sweep": "there are no sweeps.",
    "Api": "there is no server; read runs with toposcope.server.open().",
}
_DEFAULT_REASON = "it has no effect here, and an inert object takes its place."
INERT = (
    *("Api", "Artifact", "ArtifactTTL", "Classes", "EvalTable", "Graph", "JoinedTable", "Settings", "agent", "attach"),
    *("box3d", "controller", "ensure_configured", "link_artifact", "link_model", "log_artifact", "log_code"),
    *("log_model", "mark_preempting", "pin_config_keys", "require", "restore", "sagemaker_auth", "save", "setup"),
    *("sweep", "teardown", "termsetup", "use_artifact", "use_model"),
)
"""The names of W&B's package without effect."""


class Inert:
    """An object without effect: its attributes, items and calls are inert; it is empty, and false."""

    def __init__(self, name: str = "inert", *_: object, **__: object) -> None:
        """Create the object; name is what repr() shows."""
        self.__dict__["_inert_name"] = name

    def __getattr__(self, name: str) -> Any:
        """Return an inert object; protocols of Python, such as copying and pickling, do not see one."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._inert_name}.{name}")

    def __call__(self, *_: object, **__: object) -> "Inert":
        """Return itself."""
        return self

    def __getitem__(self, key: object) -> "Inert":
        """Return an inert object."""
        return Inert(f"{self._inert_name}[{key!r}]")

    def __setitem__(self, key: object, value: object) -> None:
        """Do nothing."""

    def __setattr__(self, name: str, value: object) -> None:
        """Do nothing."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over nothing."""
        return iter(())

    def __len__(self) -> int:
        """Return 0."""
        return 0

    def __contains__(self, item: object) -> bool:
        """Return False."""
        return False

    def __enter__(self) -> "Inert":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""

    def __fspath__(self) -> str:
        """Return a path at which there is nothing, whose name says why."""
        return f"inert-wandb.{self._inert_name}"

    def __or__(self, other: object) -> "Inert":
        """Return itself, for annotations: wandb.sdk.wandb_run.Run | None."""
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        """Return a text that says that the object is inert."""
        return f"<inert wandb.{self._inert_name}>"

    def __reduce__(self) -> tuple[type["Inert"], tuple[str]]:
        """Pickle the name."""
        return Inert, (self._inert_name,)


def inert(name: str) -> Any:
    """Return a class or, if the name is in lower case, a function that reports once that it has no effect."""
    return inert_class(name) if name[0].isupper() else inert_function(name)


def reported(name: str, *, strict: bool = False) -> Inert:
    """Report once that a name has no effect, and return an inert object.

    Raises:
        UsageError: in strict mode, or with strict=True.
    """
    REPORTS.differs(f"wandb.{name}: {_REASONS.get(name.removeprefix('run.'), _DEFAULT_REASON)}", strict=strict)
    return Inert(name)


def inert_function(name: str) -> Callable[..., Inert]:
    """Return a function that reports once that it has no effect, and returns an inert object.

    With strict=True, or in strict mode, it raises UsageError.
    """

    def call(*_: object, strict: bool = False, **__: object) -> Inert:
        return reported(name, strict=strict)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Report that wandb.{name} has no effect."
    return call


class _Login(Inert):
    """What login() returns: true, as a script may end without a login."""

    def __bool__(self) -> bool:
        """Return True."""
        return True


def login(*_: object, strict: bool = False, **__: object) -> Inert:
    """Report that wandb.login has no effect, and return an inert object that is true."""
    reported("login", strict=strict)
    return _Login("login")


def inert_class(name: str) -> type[Inert]:
    """Return a class whose instances are inert; creating one reports that once, or raises like inert_function()."""

    def create(self: Inert, *_: object, strict: bool = False, **__: object) -> None:
        reported(name, strict=strict)
        Inert.__init__(self, name)

    return type(name, (Inert,), {"__init__": create, "__doc__": f"Inert: wandb.{name} has no effect."})
