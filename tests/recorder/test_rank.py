"""The rank that a launcher's environment names."""

import logging

import pytest

from toposcope.recorder.rank import RANK_VARIABLES, WORLD_SIZE_VARIABLES, rank_of, world_size_of


def test_without_a_launcher_the_rank_is_zero() -> None:
    """A process that trains alone has rank 0."""
    assert rank_of({}) == 0


@pytest.mark.parametrize("variable", RANK_VARIABLES)
def test_every_launcher_is_understood(variable: str) -> None:
    """Each of the variables names the rank."""
    assert rank_of({variable: "3"}) == 3


def test_first_variable_counts() -> None:
    """Torchrun inside a Slurm job: the inner launcher's rank counts."""
    assert rank_of({"SLURM_PROCID": "1", "RANK": "9"}) == 9


@pytest.mark.parametrize("text", ["-1", "one", "1.5", "٣", "9" * 10])
def test_value_that_is_no_rank_is_passed_over(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """A stray variable is reported, and the next one is asked."""
    with caplog.at_level(logging.WARNING):
        assert rank_of({"RANK": text, "RANK_ID": "2"}) == 2

    assert "RANK=" in caplog.text


def test_empty_value_is_no_value(caplog: pytest.LogCaptureFixture) -> None:
    """An empty variable is an unset one."""
    assert rank_of({"RANK": ""}) == 0
    assert caplog.text == ""


def test_alone_the_world_has_one_process() -> None:
    """Without a launcher."""
    assert world_size_of({}) == 1


@pytest.mark.parametrize("variable", WORLD_SIZE_VARIABLES)
def test_every_launcher_tells_the_number_of_processes(variable: str) -> None:
    """Each of the variables names it."""
    assert world_size_of({variable: "8"}) == 8


@pytest.mark.parametrize("text", ["0", "-2", "two", "00"])
def test_value_that_is_no_number_of_processes_is_passed_over(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """A stray variable is reported, and the next one is asked."""
    with caplog.at_level(logging.WARNING):
        assert world_size_of({"WORLD_SIZE": text, "RANK_SIZE": "4"}) == 4

    assert "WORLD_SIZE=" in caplog.text


def test_world_is_larger_than_the_rank() -> None:
    """A launcher that tells only the rank, or a number left over from another one."""
    assert world_size_of({"RANK": "3"}) == 4
    assert world_size_of({"RANK": "3", "SLURM_NTASKS": "2"}) == 4
