"""The rank and the number of processes in the environment."""

import json
import logging
import sys
from types import SimpleNamespace

import pytest

from toposcope.recorder.rank import (
    RANK_VARIABLES,
    WORLD_SIZE_VARIABLES,
    process_count,
    process_rank,
    rank_of,
    world_size_of,
)


def test_without_a_launcher_the_rank_is_zero() -> None:
    """A process that no launcher has started has rank 0."""
    assert rank_of({}) == 0


@pytest.mark.parametrize("variable", RANK_VARIABLES)
def test_rank_of_every_launcher(variable: str) -> None:
    """Each of the variables is read."""
    assert rank_of({variable: "3"}) == 3


def test_first_variable_takes_precedence() -> None:
    """In a Slurm job that runs torchrun, the rank is that of torchrun."""
    assert rank_of({"SLURM_PROCID": "1", "RANK": "9"}) == 9


@pytest.mark.parametrize("text", ["-1", "one", "1.5", "٣", "9" * 10])
def test_invalid_rank_is_ignored(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """An invalid value is logged, and the next variable is used."""
    with caplog.at_level(logging.WARNING):
        assert rank_of({"RANK": text, "RANK_ID": "2"}) == 2

    assert "RANK=" in caplog.text


def test_empty_variable_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    """An empty variable is equivalent to an unset one."""
    assert rank_of({"RANK": ""}) == 0
    assert caplog.text == ""


def test_without_a_launcher_the_world_size_is_one() -> None:
    """A process that no launcher has started trains alone."""
    assert world_size_of({}) == 1


@pytest.mark.parametrize("variable", WORLD_SIZE_VARIABLES)
def test_world_size_of_every_launcher(variable: str) -> None:
    """Each of the variables is read."""
    assert world_size_of({variable: "8"}) == 8


@pytest.mark.parametrize("text", ["0", "-2", "two", "00"])
def test_invalid_world_size_is_ignored(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """An invalid value is logged, and the next variable is used."""
    with caplog.at_level(logging.WARNING):
        assert world_size_of({"WORLD_SIZE": text, "RANK_SIZE": "4"}) == 4

    assert "WORLD_SIZE=" in caplog.text


def test_world_size_is_larger_than_the_rank() -> None:
    """Also if only the rank is set, or if the number is that of another launcher."""
    assert world_size_of({"RANK": "3"}) == 4
    assert world_size_of({"RANK": "3", "SLURM_NTASKS": "2"}) == 4


@pytest.fixture
def distributed(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Replace torch.distributed: rank 2 of 3 processes."""
    functions = {"is_available": lambda: True, "is_initialized": lambda: True}
    stub = SimpleNamespace(**functions, get_rank=lambda: 2, get_world_size=lambda: 3)
    monkeypatch.setitem(sys.modules, "torch.distributed", stub)
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    return stub


def test_a_process_group_takes_precedence(distributed: SimpleNamespace) -> None:
    """Programs that spawn processes, and Lightning, do not set the variables of each process."""
    assert (process_rank(), process_count()) == (2, 3)


@pytest.mark.parametrize("function", ["is_available", "is_initialized"])
def test_without_a_process_group_the_environment_decides(distributed: SimpleNamespace, function: str) -> None:
    """A PyTorch without torch.distributed, or one that does not use it."""
    setattr(distributed, function, lambda: False)
    assert (process_rank(), process_count()) == (0, 1)


@pytest.mark.parametrize(("client", "expected"), [(object(), (1, 4)), (None, (0, 1))], ids=["initialized", "alone"])
def test_the_processes_of_jax(monkeypatch: pytest.MonkeyPatch, client: object, expected: tuple[int, int]) -> None:
    """jax.distributed.initialize() may find out the rank itself, and sets no variable."""
    stub = SimpleNamespace(global_state=SimpleNamespace(client=client, process_id=1, num_processes=4))
    monkeypatch.setitem(sys.modules, "jax._src.distributed", stub)
    assert (process_rank(), process_count()) == expected


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (("worker", 0), (1, 3)),
        (("worker", 1), (2, 3)),
        (("chief", 0), (0, 3)),
        (("ps", 0), (0, 1)),
        ((None, "x"), (0, 1)),
    ],
)
def test_the_processes_of_a_strategy_of_tensorflow(task: tuple[object, object], expected: tuple[int, int]) -> None:
    """TF_CONFIG names the chief and the workers; a variable of a launcher takes precedence."""
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}
    environment = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": task[0], "index": task[1]}})}
    assert (rank_of(environment), world_size_of(environment)) == expected
    assert rank_of(environment | {"RANK": "7"}) == 7


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", '{"cluster": 3, "task": []}'])
def test_other_texts_in_tf_config_are_ignored(text: str) -> None:
    """The process trains alone."""
    assert (rank_of({"TF_CONFIG": text}), world_size_of({"TF_CONFIG": text})) == (0, 1)
