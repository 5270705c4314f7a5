"""The journal of measured losses."""

import errno
import fcntl
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_files import small_files

from toposcope.recorder.landscapes.models.unit_losses import LossSums
from toposcope.recorder.landscapes.sweep.journal import Journal, JournalInUseError, Measurement, Place


def measurement(number: int, total: float = 1.5) -> Measurement:
    """Return a loss that was measured."""
    return Measurement(
        Place("node", 3, number, 2, 128), LossSums(128, 128, total, total * total), 0.5, difference=of(total / 3)
    )


def of(total: float) -> LossSums | None:
    """Return a difference; None for a negative total."""
    return None if total < 0 else LossSums(128, 128, total, total * total)


def fill(path: Path, number: int) -> list[Measurement]:
    """Write a journal and return its measurements."""
    given = [measurement(i, 1.5 + i / 3) for i in range(number)]
    with Journal(str(path)) as journal:
        for each in given:
            journal.append(each)
    return given


def known(path: Path) -> list[Measurement]:
    """Return the measurements in a journal."""
    with Journal(str(path)) as journal:
        return list(journal.measured.values())


def test_losses_are_read_bit_for_bit(tmp_path: Path) -> None:
    """Including NaN and infinities."""
    given = [*fill(tmp_path / "journal", 4), measurement(4, -1.5)]
    with Journal(str(tmp_path / "journal")) as journal:
        journal.append(given[4])
        journal.append(measurement(5, math.inf))
        journal.append(measurement(6, math.nan))

    assert known(tmp_path / "journal")[:6] == [*given, measurement(5, math.inf)]
    last = known(tmp_path / "journal")[6]
    assert last.sums is not None
    assert last.difference is not None
    assert math.isnan(last.sums.total)
    assert math.isnan(last.difference.squares)


def test_torn_tail_costs_the_record_that_was_being_written(tmp_path: Path) -> None:
    """Records that are appended later are read."""
    path = tmp_path / "journal"
    given = fill(path, 4)
    whole = path.read_bytes()
    for cut in (1, 30, len(whole) // 4 - 1):
        path.write_bytes(whole[:-cut])
        assert known(path) == given[:3]
    with Journal(str(path)) as journal:
        journal.append(given[3])
    assert path.read_bytes() == whole


def test_damage_costs_only_the_damaged_record(tmp_path: Path) -> None:
    """For any byte of it."""
    path = tmp_path / "journal"
    given = fill(path, 3)
    whole = path.read_bytes()
    size = len(whole) // 3
    for place in range(size, 2 * size, 9):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        assert known(path) == [given[0], given[2]]


def test_holes_are_dropped_when_it_is_opened_again(tmp_path: Path) -> None:
    """They are measured again."""
    with Journal(str(tmp_path / "journal")) as journal:
        journal.append(Measurement(Place("real", 0, 0, 7, 128), None, error="three workers died"))
        assert journal.measured[Place("real", 0, 0, 7, 128)].sums is None
    assert not known(tmp_path / "journal")


def test_two_processes_do_not_write_the_same_journal(tmp_path: Path) -> None:
    """The second one raises; a killed process has no lock."""
    path = str(tmp_path / "journal")
    program = (
        "import sys; from toposcope.recorder.landscapes.sweep.journal import Journal\n"
        "journal = Journal(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(JournalInUseError, match="Another process is computing this landscape"):
            Journal(path)
        other.kill()
    Journal(path).close()


def test_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    """The loss that did not fit is not stored, the error names the file, and later records are read."""
    path = tmp_path / "journal"
    with Journal(str(path)) as journal:
        journal.append(measurement(0))
        size = path.stat().st_size
        for room in (0, 1, size - 1):
            with small_files(size + room), pytest.raises(OSError, match=r"too large: '.*journal'"):
                journal.append(measurement(1))
            assert path.stat().st_size == size
        assert list(journal.measured.values()) == [measurement(0)]
        journal.append(measurement(2))
    assert known(path) == [measurement(0), measurement(2)]


def test_journal_is_written_on_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing remains that a later process would interpret as a lock."""

    def flock(file: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", flock)
    path = tmp_path / "journal"
    given = fill(path, 3)
    assert known(path) == given
