"""Throughput: the steps and samples per second of a training."""

from time import perf_counter


class Throughput:
    """Measures since the last measurement or the beginning of the epoch, so that evaluations do not count."""

    def __init__(self) -> None:
        self._step: int | None = None
        self._seconds = 0.0

    def restart(self, step: int) -> None:
        """Start measuring now, after *step* finished steps."""
        self._step, self._seconds = step, perf_counter()

    def measure(self, step: int, batch_size: float | None) -> dict[str, float]:
        """Return the throughput since the last measurement, by tag; {} if no step was finished in between.

        Args:
            step: number of finished steps.
            batch_size: samples per step of this process, on average; None: unknown.
        """
        first_step, began = self._step, self._seconds
        self.restart(step)
        seconds = self._seconds - began
        if first_step is None or step <= first_step or seconds <= 0:
            return {}
        rate = (step - first_step) / seconds
        samples = {} if batch_size is None else {"throughput/samples_per_second": rate * batch_size}
        return {"throughput/steps_per_second": rate, **samples}
