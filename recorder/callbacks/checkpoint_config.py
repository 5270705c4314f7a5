"""CheckpointConfig: when checkpoints are saved, how long they are kept, and what is in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.checkpoints.arguments import checked_appended, checked_key, checked_mode
from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.protection import Protection
from toposcope.recorder.values.foreign import is_convertible, shown

_FORMATS = ("ckpt", "safetensors")
_COUNTS = ("epoch_num", "step_num")
_STATE_METHODS = ("state_dict", "parameters_dict", "parameters")


class _Default(int):
    """A number that was not given: it gives way to one that was."""


_EVERY_STEP, _FIVE = _Default(1), _Default(5)


class CheckpointConfig:
    """The policy of a ModelCheckpoint.

    Differences from MindSpore's class: a trigger or a rule of retention that is given beats one that stands by default,
    so that `CheckpointConfig(save_checkpoint_seconds=30)` saves every 30 seconds; without any trigger the end of the
    training is saved all the same (MindSpore saves nothing). Wrong types are ValueErrors, as its API text says, though
    its code raises TypeError. saved_network is a network of any framework; append_info may hold texts.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = _EVERY_STEP,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = _FIVE,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Any = None,
        append_info: Sequence[str | Mapping[str, Appended]] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        *,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
    ) -> None:
        """Set the policy; of the numbers, 0 and None mean: not by this.

        Args:
            save_checkpoint_steps: save every so many steps. If seconds are given and steps not, these count; if both
                are given, only the steps.
            save_checkpoint_seconds: save at the first step that ends so many seconds after the last save.
            keep_checkpoint_max: keep the newest so many checkpoints of this training. If minutes are given and a
                number not, these count; if both are given, only the number. With neither, the newest one is kept.
            keep_checkpoint_per_n_minutes: keep one checkpoint every so many minutes, and the newest one.
            integrated_save: whether tensors that processes share (PyTorch's DTensors) are gathered into the one file of
                rank 0; otherwise every rank saves its parts, in a file with its rank in the name.
            async_save: True, or "thread": a thread writes a copy of the state while the training goes on; it has
                finished before the next save and before the end. There is no "process".
            saved_network: saved in place of the network that is trained; the optimizer is then saved only if it is the
                same network.
            append_info: a list of "epoch_num", "step_num" and at most one dict of str to int, float, bool or str, which
                are saved as well. Numbers "epoch_num" and "step_num" in the dict are counted on from.
            enc_key: key of AES, 16, 24 or 32 bytes; None: not encrypted. Needs the package cryptography.
            enc_mode: "AES-GCM" or "AES-CBC"; both notice a file that was changed.
            exception_save: whether a training that raises leaves a checkpoint
                `<prefix>-<epoch>_<step>_breakpoint.ckpt`, which no retention deletes.
            crc_check: whether files end with a checksum, which load_checkpoint() verifies.
            remove_redundancy: whether, with integrated_save=False, ranks above 0 leave out the tensors that are not
                shared, which rank 0's file has: its network updated with that of the other is whole again. One file for
                all has nothing twice.
            format: "ckpt", or "safetensors", which has neither encryption nor checksum. Needs the package safetensors.

        Raises:
            ValueError: an argument is of a wrong type or value.
        """
        _check_flags(integrated_save=integrated_save, exception_save=exception_save, crc_check=crc_check)
        _check_flags(remove_redundancy=remove_redundancy)
        if not any(
            (save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max, keep_checkpoint_per_n_minutes)
        ):
            raise ValueError(
                "Of the two triggers and the two rules of retention of CheckpointConfig one at least is set."
            )
        self._steps, self._seconds = _first_given(
            save_checkpoint_steps=save_checkpoint_steps, save_checkpoint_seconds=save_checkpoint_seconds
        )
        self._max, self._minutes = _first_given(
            keep_checkpoint_max=keep_checkpoint_max, keep_checkpoint_per_n_minutes=keep_checkpoint_per_n_minutes
        )
        if not (self._max or self._minutes):
            self._max = 1
        self._integrated_save, self._exception_save = integrated_save, exception_save
        self._async_save = _checked_async(async_save)
        self._saved_network = _checked_network(saved_network)
        self._counted, self._append_dict = _checked_info(append_info)
        self._seal = Protection(checked_key("enc_key", enc_key), checked_mode("enc_mode", enc_mode), crc_check)
        self._remove_redundancy = remove_redundancy
        self._format = _checked_format(format, self._seal)

    @property
    def save_checkpoint_steps(self) -> int | None:
        """Steps between saves, None when they do not count."""
        return self._steps

    @property
    def save_checkpoint_seconds(self) -> int | None:
        """Seconds between saves, None when they do not count."""
        return self._seconds

    @property
    def keep_checkpoint_max(self) -> int | None:
        """How many checkpoints are kept, None when that does not count."""
        return self._max

    @property
    def keep_checkpoint_per_n_minutes(self) -> int | None:
        """Minutes between checkpoints that are kept, None when they do not count."""
        return self._minutes

    @property
    def integrated_save(self) -> bool:
        """Whether shared tensors are gathered."""
        return self._integrated_save

    @property
    def async_save(self) -> bool:
        """Whether a thread writes."""
        return self._async_save

    @property
    def saved_network(self) -> Any:
        """The network that is saved in place of the trained one, or None."""
        return self._saved_network

    @property
    def append_dict(self) -> dict[str, Appended]:
        """The appended values; epoch_num and step_num, if asked for, as the numbers that are counted on from."""
        return dict.fromkeys(self._counted, 0) | self._append_dict

    @property
    def enc_key(self) -> bytes | None:
        """Key of AES, or None."""
        return self._seal.key

    @property
    def enc_mode(self) -> str:
        """Mode of encryption."""
        return self._seal.mode

    @property
    def exception_save(self) -> bool:
        """Whether a training that raises is saved."""
        return self._exception_save

    @property
    def crc_check(self) -> bool:
        """Whether files end with a checksum."""
        return self._seal.crc_check

    @property
    def remove_redundancy(self) -> bool:
        """Whether ranks above 0 leave out what is not shared."""
        return self._remove_redundancy

    @property
    def format(self) -> str:
        """Format of the files, and the ending of their names."""
        return self._format

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the triggers, the rules of retention and the saved network; what does not count is None."""
        return {
            "save_checkpoint_steps": self._steps,
            "save_checkpoint_seconds": self._seconds,
            "keep_checkpoint_max": self._max,
            "keep_checkpoint_per_n_minutes": self._minutes,
            "saved_network": self._saved_network,
        }

    def appended_at(self, epoch: int, step: int) -> dict[str, Appended]:
        """Return the values that a checkpoint of this epoch and step appends."""
        counts = {"epoch_num": epoch, "step_num": step}
        counted = {name: int(self._append_dict.get(name, 0)) + counts[name] for name in self._counted}
        return self._append_dict | counted


def _check_flags(**flags: object) -> None:
    for name, flag in flags.items():
        try:
            checked_bool(name, flag)
        except TypeError as error:
            raise ValueError(str(error)) from None


def _first_given(**numbers: object) -> tuple[int | None, int | None]:
    """Return two numbers, one of them None at least: the first counts, unless only the second is given."""
    first, second = (_checked_count(name, number) for name, number in numbers.items())
    is_default = isinstance(next(iter(numbers.values())), _Default)
    if first and not (is_default and second):
        return first, None
    return None, second or None


def _checked_count(name: str, number: object) -> int:
    try:
        return 0 if number is None else checked_integer(name, number, lowest=0)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _checked_async(async_save: object) -> bool:
    if isinstance(async_save, bool):
        return async_save
    if async_save != "thread":
        raise ValueError(f"async_save is True, False or 'thread' (no process is started), not {shown(async_save)}.")
    return True


def _checked_network(network: object) -> Any:
    if network is not None and not is_convertible(network, _STATE_METHODS):
        raise ValueError(
            f"saved_network is a network of PyTorch, MindSpore or your own, or None, not {shown(network)}."
        )
    return network


def _checked_info(append_info: object) -> tuple[tuple[str, ...], dict[str, Appended]]:
    """Return which counts are appended, and the values of the dict."""
    if append_info is None:
        return (), {}
    if not isinstance(append_info, list | tuple):
        raise ValueError(f"append_info is a list or None, not {shown(append_info)}.")
    counted = tuple(name for name in _COUNTS if name in append_info)
    appended = [item for item in append_info if isinstance(item, Mapping)]
    if wrong := [item for item in append_info if not isinstance(item, Mapping) and item not in _COUNTS]:
        raise ValueError(f"append_info holds 'epoch_num', 'step_num' and a dict, not {shown(wrong[0])}.")
    if len(appended) > 1:
        raise ValueError(f"append_info holds one dict at most, not {len(appended)}.")
    values = checked_appended("append_info's dict", appended[0] if appended else {})
    for name in counted:
        _checked_count(f"append_info[{name!r}]", values.get(name))
    return counted, values


def _checked_format(format: object, seal: Protection) -> str:
    if not isinstance(format, str) or format not in _FORMATS:
        raise ValueError(f"format is 'ckpt' or 'safetensors', not {shown(format)}.")
    if format == "safetensors" and seal.key is not None:
        raise ValueError("format 'safetensors' has no encryption: leave enc_key None.")
    if format == "safetensors" and seal.crc_check:
        raise ValueError("format 'safetensors' has no checksum: leave crc_check False.")
    return format
