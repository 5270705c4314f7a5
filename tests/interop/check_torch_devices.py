"""A training on a CUDA device at default settings; skipped where there is none."""

from pathlib import Path

import pytest
import torch
from support.written_events import ReadEvents

from toposcope.recorder.callbacks import SummaryCollector

STEPS = 200


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_no_step_synchronises_the_device(tmp_path: Path, read_events: ReadEvents) -> None:
    """In PyTorch's mode in which a synchronisation raises; the first step, which records the graph, is excepted."""
    network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    inputs, expected = torch.randn(32, 64, device="cuda"), []
    try:
        with SummaryCollector(tmp_path, collect_freq=10 * STEPS).watch(network, optimizer) as run:
            for _ in range(STEPS):
                loss = network(inputs).square().mean()
                loss.backward()
                optimizer.step()
                run.step(loss)
                optimizer.zero_grad()
                expected.append(loss.detach())
                torch.cuda.set_sync_debug_mode("error")
            torch.cuda.set_sync_debug_mode("default")
    finally:
        torch.cuda.set_sync_debug_mode("default")
    (path,) = tmp_path.glob("*_MS")
    values = [value for event in read_events(path) for value in event.summary.value if value.tag == "loss/auto"]
    assert [value.scalar_value for value in values] == [loss.item() for loss in expected]
