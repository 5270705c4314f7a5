"""What diagnose_run() finds in 40 trainings with known faults, and in 40 healthy ones."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.event_files import scalar_event, write_run
from support.faulty_trainings import FAULTY, HEALTHY, Training

from toposcope.server.questions.diagnosis import diagnose_run
from toposcope.server.questions.opening.loading import Places, loaded
from toposcope.server.questions.opening.opened import Opened

_OF_A_KIND = 8
_OF_A_SHAPE = 4


def write(directory: Path, training: Training) -> None:
    """Write the event file of a training."""
    records = []
    for step, wall_time in enumerate(training.wall_time.tolist()):
        records.append(
            scalar_event(wall_time, step, {tag: float(each[step]) for tag, each in training.scalars.items()})
        )
    write_run(directory, records)


def diagnose(opened: Opened) -> dict[str, set[str]]:
    """Return the kinds of findings by run."""
    return {name: {finding.kind for finding in diagnose_run(opened, name).findings} for name in opened.runs}


def test_faults_are_found(tmp_path: Path) -> None:
    """All 40: each as what it is."""
    for kind, shapes in FAULTY.items():
        for number in range(_OF_A_KIND):
            training = shapes[number % len(shapes)](np.random.default_rng(number))
            write(tmp_path / "logs" / f"{kind}-{number}", training)

    with loaded(Places(str(tmp_path / "logs"), str(tmp_path / "index"), str(tmp_path / "data"))) as (opened, _):
        found = diagnose(opened)
    assert len(found) == 40
    missed = {name: kinds for name, kinds in found.items() if name.partition("-")[0] not in kinds}
    assert missed == {}
    others = Counter(kind for name, kinds in found.items() for kind in kinds - {name.partition("-")[0]})
    assert others == {}


@pytest.mark.parametrize("first_seed", [0, 100])
def test_healthy_trainings_raise_no_alarm(tmp_path: Path, first_seed: int) -> None:
    """None of 40, of ten kinds."""
    for shape, make in HEALTHY.items():
        for number in range(_OF_A_SHAPE):
            write(tmp_path / "logs" / f"{shape}-{number}", make(np.random.default_rng(first_seed + number)))

    with loaded(Places(str(tmp_path / "logs"), str(tmp_path / "index"), str(tmp_path / "data"))) as (opened, _):
        found = diagnose(opened)
    assert len(found) == 40
    assert {name: kinds for name, kinds in found.items() if kinds} == {}
