"""Schedule: the steps of a training at which values and tensors are collected."""

from typing import NamedTuple

MAX_TENSOR_STEPS = 20
"""Steps at which tensors are collected in a training of known length, unless collect_tensor_freq is set."""


class Due(NamedTuple):
    """What is to be collected at a step."""

    values: bool
    """Everything but tensors."""
    tensors: bool


NOTHING_DUE = Due(values=False, tensors=False)


class Schedule:
    """Determines what is due at a step. Steps are increasing numbers: of steps, or of epochs in sink mode.

    Values are due at the first step and at multiples of collect_freq. Tensors, which are large, are due

    * with collect_tensor_freq: at the first step and at its multiples;
    * in a training of known length: at up to twenty of the steps at which values are due, evenly spread from the first
      to the last;
    * in a training of unknown length: at the collections 0, 1, ..., 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, ... (numbers
      of at most three binary digits followed by zeros): twenty of the first 61, then four per doubling of the length.

    The processes of a distributed training collect tensors in turns.
    """

    def __init__(
        self,
        collect_freq: int,
        collect_tensor_freq: int | None = None,
        length: int | None = None,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        """Create the schedule of a training of *length* steps; None: unknown."""
        self._freq, self._tensor_freq = collect_freq, collect_tensor_freq
        self.length = length
        """Steps of the training; it may change before the first call of advance()."""
        self._rank, self._world_size = rank, world_size
        self._first: int | None = None
        self._turns: dict[int, int] = {}
        self.next = 0
        """Nothing is due at smaller numbers."""

    def advance(self, number: int) -> Due:
        """Return what is due at a step, and update next; call it when number has reached next."""
        if self._first is None:
            self._begin(number)
        turn = self._turn(number)
        freqs = (self._freq, self._tensor_freq or self._freq)
        self.next = min(freq * (number // freq + 1) for freq in freqs)
        return Due(self._is_hit(number, self._freq), turn is not None and turn % self._world_size == self._rank)

    def _begin(self, first: int) -> None:
        self._first = first
        if self.length is None:
            return
        multiples = range(self._freq * (first // self._freq + 1), first + self.length, self._freq)
        count = min(MAX_TENSOR_STEPS, 1 + len(multiples))
        # Index 0 is the first step, index i the i-th multiple.
        indices = [round(turn * len(multiples) / max(1, count - 1)) for turn in range(count)]
        self._turns = {multiples[index - 1] if index else first: turn for turn, index in enumerate(indices)}

    def _turn(self, number: int) -> int | None:
        """Return the index of a step among the steps of tensors; None if it is not one of them."""
        first = self._first or 0
        if self._tensor_freq is not None:
            is_hit = self._is_hit(number, self._tensor_freq)
            return number // self._tensor_freq - first // self._tensor_freq if is_hit else None
        if self.length is not None:
            return self._turns.get(number)
        return _sparse_turn(number // self._freq - first // self._freq) if self._is_hit(number, self._freq) else None

    def _is_hit(self, number: int, freq: int) -> bool:
        return number == self._first or number % freq == 0


def _sparse_turn(collection: int) -> int | None:
    """Return the index of a number among those of three binary digits and zeros; None if it is not one of them."""
    zeros = max(0, collection.bit_length() - 3)
    digits, rest = divmod(collection, 1 << zeros)
    return None if rest else digits + 4 * zeros
