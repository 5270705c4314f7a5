"""Throughput: how many steps and samples a second a training does."""

from time import perf_counter


class Throughput:
    """Measures from the last figures on, or from the beginning of the epoch: the evaluations between do not count."""

    def __init__(self) -> None:
        self._step: int | None = None
        self._seconds = 0.0

    def restart(self, step: int) -> None:
        """Measure from now, when *step* steps are done."""
        self._step, self._seconds = step, perf_counter()

    def take(self, step: int, batch_size: float | None) -> dict[str, float]:
        """Return the figures by tag, when *step* steps are done; none where no step was measured.

        Args:
            step: steps done.
            batch_size: samples a step, on average, of this process; None: unknown.
        """
        before, began = self._step, self._seconds
        self.restart(step)
        seconds = self._seconds - began
        if before is None or step <= before or seconds <= 0:
            return {}
        rate = (step - before) / seconds
        samples = {} if batch_size is None else {"throughput/samples_per_second": rate * batch_size}
        return {"throughput/steps_per_second": rate, **samples}
