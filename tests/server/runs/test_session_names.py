"""Readable names of hyperparameter sessions."""

from pathlib import Path

import pytest
from support.event_files import GOLDEN
from support.servers import Serve, wait_until

from toposcope.recorder import SummaryWriter
from toposcope.server.runs.parameters.session_names import is_named_by_time, session_names
from toposcope.server.values.hparams import Hparam


def hparams(**values: float | str | bool) -> dict[str, Hparam]:
    """Return the hyperparameters of a session."""
    return {name: Hparam("", value) for name, value in values.items()}


def test_what_differs_is_first() -> None:
    """Hyperparameters in which the sessions differ precede those that are equal; integers have no point."""
    sessions = [hparams(batch=32.0, lr=rate, opt="sgd") for rate in (0.1, 0.01)]

    assert session_names(sessions) == ["lr=0.1, batch=32, opt=sgd", "lr=0.01, batch=32, opt=sgd"]


def test_equal_sessions_are_numbered() -> None:
    """Names differ even if the hyperparameters do not."""
    assert session_names([hparams(lr=1.0)] * 3) == ["lr=1", "lr=1 (2)", "lr=1 (3)"]


def test_names_are_short_and_no_paths() -> None:
    """A long name is cut at a value, and only the last part of a path is shown."""
    (name,) = session_names([hparams(data="/sets/mnist/", **{f"number_{n}": float(n) for n in range(20)})])

    assert name.startswith("data=mnist, number_0=0")
    assert name.endswith(", …")
    assert len(name) < 64
    assert len(session_names([hparams(text="x" * 1000)])[0]) == 60


@pytest.mark.parametrize(
    ("run", "is_named"),
    [("lr_0.1/1795230787.3453648", True), ("1795230787", True), ("1795230787_host", False), ("run_1795230787", False)],
)
def test_directories_named_by_the_time(run: str, is_named: bool) -> None:
    """Names that a person chose are shown as they are."""
    assert is_named_by_time(run) == is_named


def test_golden_sessions_have_readable_names(serve: Serve) -> None:
    """The sessions of tensorboardX's writer are named by their hyperparameters."""
    client = serve(GOLDEN / "tensorboard/tensorboardx")
    wait_until(lambda: not client.get("api/health").json()["loading"])
    rows = client.get("api/runs").json()["runs"]

    assert {row["run"]: row["session_name"] for row in rows} == {
        "lr_0.01": None,
        "lr_0.01/1795230787.3919647": "batch=32, lr=0.01, opt=sgd",
        "lr_0.1": None,
        "lr_0.1/1795230787.3453648": "batch=32, lr=0.1, opt=sgd",
    }


def test_own_sessions_have_readable_names(tmp_path: Path, serve: Serve) -> None:
    """Several sessions of one run begin with what differs; one with a name of its own keeps it."""
    with SummaryWriter(str(tmp_path / "run")) as writer:
        for rate in (0.1, 0.2):
            writer.add_hparams({"batch": 32, "lr": rate}, {"accuracy": 1.0})
        writer.add_hparams({"batch": 32, "lr": 0.3}, {"accuracy": 1.0}, run_name="best")
    client = serve(tmp_path)
    wait_until(lambda: not client.get("api/health").json()["loading"])
    rows = client.get("api/runs").json()["runs"]

    assert [row["session_name"] for row in rows if row["parent"] == "run"] == [
        "lr=0.1, batch=32",
        "lr=0.2, batch=32",
        None,
    ]
