"""Throughput: the steps and samples per second of a training."""

from time import perf_counter


class Throughput:
    """Measures since the last measurement, evaluation or beginning of an epoch, so that evaluations do not count."""

    def __init__(self) -> None:
        self._step: int | None = None
        self._samples: int | None = None
        self._seconds = 0.0

    def restart(self, step: int, samples: int | None, began: float | None = None) -> None:
        """Start measuring at *began*, or now, after *step* finished steps with *samples* samples; None: unknown."""
        self._step, self._samples, self._seconds = step, samples, perf_counter() if began is None else began

    def measure(self, step: int, samples: int | None, batch_size: float | None) -> dict[str, float]:
        """Return the throughput since the last measurement, by tag; {} if no step was finished in between.

        Args:
            step: number of finished steps.
            samples: number of samples that this process has processed in them; None: unknown.
            batch_size: samples per step of this process, on average, for steps of unknown samples; None: unknown.
        """
        first_step, first_sample, began = self._step, self._samples or 0, self._seconds
        self.restart(step, samples)
        seconds = self._seconds - began
        if first_step is None or step <= first_step or seconds <= 0:
            return {}
        rates = {"throughput/steps_per_second": (step - first_step) / seconds}
        processed = (samples or 0) - first_sample or (step - first_step) * (batch_size or 0)
        if processed:
            rates["throughput/samples_per_second"] = processed / seconds
        return rates
