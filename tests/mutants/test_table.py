"""The table of mutants fits the product and its tests."""

import pytest
from mutants.check_mutants import ROOT, Mutant, read_table


@pytest.mark.parametrize("mutant", read_table(), ids=lambda mutant: mutant.fault)
def test_fault_and_tests_of_a_mutant_exist(mutant: Mutant) -> None:
    """What is replaced is in the file once, and tests are called as the table says."""
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.new != mutant.old
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") or not name
