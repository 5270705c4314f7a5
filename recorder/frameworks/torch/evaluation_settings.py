"""Evaluation settings: the modes of a module and of PyTorch in which losses are measured, and those before."""

from typing import Any

from toposcope.recorder.frameworks.torch.modules import library

_SEED = 0


class EvaluationSettings:
    """Sets evaluation mode, one thread and deterministic kernels; restore() sets everything back."""

    def __init__(self, network: Any, device: Any) -> None:
        """Set them.

        Args:
            network: a torch.nn.Module.
            device: whose generator of random numbers is used.
        """
        torch: Any = library()
        self._torch, self.device = torch, torch.device(device)
        self._generators = [torch.default_generator]
        if self.device.type == "cuda":
            torch.cuda.init()
            self._generators.append(torch.cuda.default_generators[self.device.index or 0])
        self._states = [generator.get_state() for generator in self._generators]
        self._modes = [(module, module.training) for module in network.modules()]
        self._threads = torch.get_num_threads()
        cudnn = torch.backends.cudnn
        self._cudnn = cudnn.deterministic, cudnn.benchmark
        self._is_set = True
        network.eval()
        torch.set_num_threads(1)
        cudnn.deterministic, cudnn.benchmark = True, False

    def seed(self) -> None:
        """Begin with the same random numbers again, for networks that draw some even in evaluation mode."""
        for generator in self._generators:
            generator.manual_seed(_SEED)

    def restore(self) -> None:
        """Set everything back, once."""
        if not self._is_set:
            return
        self._is_set = False
        for module, is_training in self._modes:
            module.training = is_training
        for generator, state in zip(self._generators, self._states, strict=True):
            generator.set_state(state)
        self._torch.set_num_threads(self._threads)
        self._torch.backends.cudnn.deterministic, self._torch.backends.cudnn.benchmark = self._cudnn
