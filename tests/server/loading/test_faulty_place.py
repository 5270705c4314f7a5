"""Every operation of a place fails once: nothing that was read disappears, and afterwards everything is there."""

import errno

import pytest
from support.fault_scenario import Scenario
from support.faulty_place import ERRORS, FailOnce, FaultyPlace

from toposcope.server.places.local_disk import LocalDisk


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """Return a scenario with a folder of its own."""
    return Scenario(tmp_path_factory.mktemp("faults"))


def count_operations(scenario: Scenario, *, is_indexed: bool) -> int:
    """Return how many operations the scenario has without faults."""
    scenario.prepare(is_indexed=is_indexed)
    counts = FailOnce(-1, errno.EIO)
    scenario.recover(FaultyPlace(LocalDisk(str(scenario.live / "runs")), counts), counts.stop)
    return counts.count


@pytest.mark.parametrize("is_indexed", [False, True], ids=["cold", "indexed"])
def test_no_failing_operation_loses_anything(scenario: Scenario, is_indexed: bool) -> None:
    """Each operation fails once, with one of the errors in turn; `make faults` tries each with every error."""
    operations = count_operations(scenario, is_indexed=is_indexed)
    assert operations > 50
    for number in range(operations):
        scenario.prepare(is_indexed=is_indexed)
        fails = FailOnce(number, ERRORS[number % len(ERRORS)])
        place = FaultyPlace(LocalDisk(str(scenario.live / "runs")), fails)
        try:
            scenario.recover(place, fails.stop)
        except AssertionError as error:
            raise AssertionError(f"{place.operations[number]} with {ERRORS[number % len(ERRORS)]}: {error}") from None
