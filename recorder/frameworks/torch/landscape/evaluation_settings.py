"""Evaluation settings: the modes of a module and of PyTorch in which losses are measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toposcope.recorder.frameworks.torch.modules import library

_SEED = 0


class EvaluationSettings:
    """Evaluation mode and deterministic kernels until restore(), and one thread while losses are measured."""

    def __init__(self, network: Any, device: Any) -> None:
        """Save the current settings; set() changes them.

        Args:
            network: a torch.nn.Module.
            device: whose random generator is used.
        """
        torch: Any = library()
        self._torch, self._network, self.device = torch, network, torch.device(device)
        self._generators = [torch.default_generator]
        if self.device.type == "cuda":
            torch.cuda.init()
            self._generators.append(torch.cuda.default_generators[self.device.index or 0])
        self._modes = [(module, module.training) for module in network.modules()]
        self._cudnn = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark

    def set(self) -> None:
        """Set evaluation mode and deterministic kernels."""
        self._network.eval()
        cudnn = self._torch.backends.cudnn
        cudnn.deterministic, cudnn.benchmark = True, False

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Use one thread and fixed seeds within the block.

        Both are restored after it. Each Python thread has its own number of PyTorch threads, and a network may draw
        random numbers even in evaluation mode.
        """
        threads, states = self._torch.get_num_threads(), [generator.get_state() for generator in self._generators]
        try:
            self._torch.set_num_threads(1)
            for generator in self._generators:
                generator.manual_seed(_SEED)
            yield
        finally:
            self._torch.set_num_threads(threads)
            for generator, state in zip(self._generators, states, strict=True):
                generator.set_state(state)

    def restore(self) -> None:
        """Restore modes and kernels."""
        for module, is_training in self._modes:
            module.training = is_training
        cudnn = self._torch.backends.cudnn
        cudnn.deterministic, cudnn.benchmark = self._cudnn
