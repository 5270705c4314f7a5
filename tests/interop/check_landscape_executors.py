"""Loss landscapes computed by workers of Dask and MPI: the same bits as in this process."""

import os
import subprocess
import sys
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest
from support.bowl_network import bowl_callback, copy_trained_bowl
from support.landscape_events import journals

from toposcope.recorder.landscapes import SummaryLandscape

MPIEXEC = Path(sys.executable).parent / "mpiexec"
MPI_PROGRAM = """
import sys
from support.bowl_network import bowl_callback
from mpi4py.futures import MPIPoolExecutor
from toposcope.recorder.landscapes import SummaryLandscape

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        SummaryLandscape(sys.argv[1]).gen_landscapes_with_multi_process(bowl_callback(), executor=executor)
"""


@pytest.fixture
def here(tmp_path: Path) -> Any:
    """Compute in this process, and return the losses."""
    return compute(tmp_path / "here", None)


def compute(directory: Path, executor: Executor | None) -> Any:
    """Compute the landscapes of a bowl by an executor."""
    directory.mkdir()
    copy_trained_bowl(directory)
    SummaryLandscape(directory).gen_landscapes_with_multi_process(bowl_callback(), executor=executor)
    return journals(directory)


def test_workers_of_dask(tmp_path: Path, here: Any) -> None:
    """Of a client's executor."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        assert compute(tmp_path / "dask", client.get_executor()) == here


def test_workers_of_mpi(tmp_path: Path, here: Any) -> None:
    """With mpi4py.futures: one process distributes tasks, two others run them."""
    (tmp_path / "mpi").mkdir()
    copy_trained_bowl(tmp_path / "mpi")
    (tmp_path / "program.py").write_text(MPI_PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    python = [sys.executable, "-m", "mpi4py.futures"]
    command: list[str | Path] = [MPIEXEC, "-n", "3", *python, "program.py", tmp_path / "mpi"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    assert journals(tmp_path / "mpi") == here
