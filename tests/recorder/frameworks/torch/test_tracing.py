"""Networks that several threads trace."""

import threading
from pathlib import Path

from support.pytorch import needs_torch
from support.torch_programs import TorchPrograms

PROGRAM = """
import logging, sys, threading
import torch
from torch import nn
from toposcope.recorder.frameworks.torch.exported_program import save_program
from toposcope.recorder.frameworks.torch.graph.call_inputs import described
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of

sys.setswitchinterval(1e-6)

def trace(number):
    network = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 1))
    inputs = (torch.ones(2, 2),)
    barrier.wait()
    for _ in range(3):
        graph = graph_of(network, described(inputs, {}))
        if graph.name != "Sequential" or len(graph.node) != 4:
            print(graph.name, len(graph.node))
    save_program(network, inputs, f"{sys.argv[1]}/{number}.pt2")

levels = [logging.getLogger(name).level for name in ("torch.export", "torch._subclasses", "torch.fx")]
barrier = threading.Barrier(8)
threads = [threading.Thread(target=trace, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if levels != [logging.getLogger(name).level for name in ("torch.export", "torch._subclasses", "torch.fx")]:
    print("the levels of PyTorch's loggers changed")
"""


@needs_torch
def test_threads_trace_networks_at_the_same_time(tmp_path: Path, programs: TorchPrograms) -> None:
    """Each graph is complete, and PyTorch logs nothing."""
    assert programs.run(PROGRAM, tmp_path, folder=tmp_path) == ""


@needs_torch
def test_one_thread_traces_at_a_time() -> None:
    """A second thread waits until the first has left its block."""
    from toposcope.recorder.frameworks.torch.tracing import tracing

    order: list[str] = []

    def second() -> None:
        started.set()
        with tracing():
            order.append("second")

    started = threading.Event()
    thread = threading.Thread(target=second)
    with tracing():
        thread.start()
        assert started.wait(30)
        thread.join(0.05)
        order.append("first")
    thread.join(30)

    assert order == ["first", "second"]
