"""CheckpointConfig: when checkpoints are saved, how long they are kept, and what they contain."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.checkpoints.arguments import checked_appended, checked_key, checked_mode
from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.files.protection import Protection
from toposcope.recorder.values.arrays.foreign_values import is_convertible, short_repr

_FORMATS = ("ckpt", "safetensors")
_COUNTS = ("epoch_num", "step_num")
_STATE_METHODS = ("state_dict", "parameters_dict", "parameters")


class _Default(int):
    """A default number, which an explicit one overrides."""


_EVERY_STEP, _FIVE = _Default(1), _Default(5)


class CheckpointConfig:
    """The policy of a ModelCheckpoint.

    Differences from MindSpore's class: an explicit trigger or retention rule overrides a default one, so that
    `CheckpointConfig(save_checkpoint_seconds=30)` saves every 30 seconds; without any trigger the end of the training
    is still saved (MindSpore saves nothing). Wrong types raise ValueError, as MindSpore documents, although its code
    raises TypeError. saved_network may be a network of any framework; append_info may contain strings.
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
        """Set the policy; the numbers 0 and None disable a trigger or a retention rule.

        Args:
            save_checkpoint_steps: save every this many steps. If both steps and seconds are specified, only the steps
                are used; if only the seconds are specified, they override the default.
            save_checkpoint_seconds: save at the first step that ends this many seconds after the last save.
            keep_checkpoint_max: keep this many newest checkpoints of the prefix, over restarts. If both this number and
                minutes are specified, only the number is used; if only the minutes are specified, they override the
                default. With neither, the newest checkpoint is kept.
            keep_checkpoint_per_n_minutes: keep one checkpoint per this many minutes, and the newest one.
            integrated_save: whether sharded tensors (PyTorch's DTensors) are gathered into the single file of rank 0;
                otherwise every rank saves its shards in a file with the rank in its name.
            async_save: True or "thread": a thread writes a copy of the state while the training continues; it finishes
                before the next save and before the end. "process" is not supported.
            saved_network: network to save in place of the trained one; the optimizer is then saved only if both are the
                same network.
            append_info: a list of "epoch_num", "step_num" and at most one dict of str to int, float, bool or str, which
                are also saved. Numbers "epoch_num" and "step_num" in the dict are offsets of the counts.
            enc_key: AES key of 16, 24 or 32 bytes; None: not encrypted. Requires the package cryptography.
            enc_mode: "AES-GCM" or "AES-CBC"; both detect modified files.
            exception_save: whether a checkpoint `<prefix>-<epoch>_<step>_breakpoint.ckpt`, which no retention rule
                deletes, is saved if the training raises.
            crc_check: whether files end with a checksum, which load_checkpoint() verifies.
            remove_redundancy: whether, with integrated_save=False, ranks above 0 omit tensors that are not sharded,
                which rank 0 saves: the networks in both files together are complete. No effect on a single file.
            format: "ckpt", or "safetensors", which supports neither encryption nor checksum and requires the package
                safetensors.

        Raises:
            ValueError: an argument has a wrong type or an invalid value.
        """
        _check_flags(integrated_save=integrated_save, exception_save=exception_save, crc_check=crc_check)
        _check_flags(remove_redundancy=remove_redundancy)
        if not any(
            (save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max, keep_checkpoint_per_n_minutes)
        ):
            raise ValueError(
                "CheckpointConfig requires at least one of its two triggers and two retention rules to be set."
            )
        self._steps, self._seconds = _preferred(
            save_checkpoint_steps=save_checkpoint_steps, save_checkpoint_seconds=save_checkpoint_seconds
        )
        self._max, self._minutes = _preferred(
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
    def save_checkpoint_steps(self) -> int:
        """Steps between saves; 0: not used."""
        return self._steps or 0

    @property
    def save_checkpoint_seconds(self) -> int:
        """Seconds between saves; 0: not used."""
        return self._seconds or 0

    @property
    def keep_checkpoint_max(self) -> int:
        """Number of checkpoints to keep; 0: not used."""
        return self._max or 0

    @property
    def keep_checkpoint_per_n_minutes(self) -> int:
        """Minutes between checkpoints to keep; 0: not used."""
        return self._minutes or 0

    @property
    def integrated_save(self) -> bool:
        """Whether sharded tensors are gathered."""
        return self._integrated_save

    @property
    def async_save(self) -> bool:
        """Whether a thread writes the files."""
        return self._async_save

    @property
    def saved_network(self) -> Any:
        """The network saved in place of the trained one, or None."""
        return self._saved_network

    @property
    def append_dict(self) -> dict[str, Appended]:
        """The appended values; epoch_num and step_num, if they are appended, are the offsets of the counts."""
        return dict.fromkeys(self._counted, 0) | self._append_dict

    @property
    def enc_key(self) -> bytes | None:
        """AES key, or None."""
        return self._seal.key

    @property
    def enc_mode(self) -> str:
        """Mode of encryption."""
        return self._seal.mode

    @property
    def exception_save(self) -> bool:
        """Whether a checkpoint is saved if the training raises."""
        return self._exception_save

    @property
    def crc_check(self) -> bool:
        """Whether files end with a checksum."""
        return self._seal.crc_check

    @property
    def remove_redundancy(self) -> bool:
        """Whether ranks above 0 omit tensors that are not sharded."""
        return self._remove_redundancy

    @property
    def format(self) -> str:
        """Format and extension of the files."""
        return self._format

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the triggers, the retention rules and the saved network; unused ones are None."""
        return {
            "save_checkpoint_steps": self._steps,
            "save_checkpoint_seconds": self._seconds,
            "keep_checkpoint_max": self._max,
            "keep_checkpoint_per_n_minutes": self._minutes,
            "saved_network": self._saved_network,
        }

    def appended_at(self, epoch: int, step: int) -> dict[str, Appended]:
        """Return the values appended to a checkpoint of this epoch and step."""
        counts = {"epoch_num": epoch, "step_num": step}
        counted = {name: int(self._append_dict.get(name, 0)) + counts[name] for name in self._counted}
        return self._append_dict | counted


def _check_flags(**flags: object) -> None:
    for name, flag in flags.items():
        try:
            checked_bool(name, flag)
        except TypeError as error:
            raise ValueError(str(error)) from None


def _preferred(**numbers: object) -> tuple[int | None, int | None]:
    """Return two numbers, at least one of them None: the first is used, unless only the second is specified."""
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
        raise ValueError(f"async_save must be True, False or 'thread', not {short_repr(async_save)}.")
    return True


def _checked_network(network: object) -> Any:
    if network is not None and not is_convertible(network, _STATE_METHODS):
        raise ValueError(
            "saved_network must be a PyTorch or MindSpore network, a TrainableNetwork, or None, "
            f"not {short_repr(network)}."
        )
    return network


def _checked_info(append_info: object) -> tuple[tuple[str, ...], dict[str, Appended]]:
    """Return which counts are appended, and the values of the dict."""
    if append_info is None:
        return (), {}
    if not isinstance(append_info, list | tuple):
        raise ValueError(f"append_info must be a list or None, not {short_repr(append_info)}.")
    counted = tuple(name for name in _COUNTS if name in append_info)
    appended = [item for item in append_info if isinstance(item, Mapping)]
    if wrong := [item for item in append_info if not isinstance(item, Mapping) and item not in _COUNTS]:
        raise ValueError(
            f"The items of append_info must be 'epoch_num', 'step_num' or a dict, not {short_repr(wrong[0])}."
        )
    if len(appended) > 1:
        raise ValueError(f"append_info must contain at most one dict, not {len(appended)}.")
    values = checked_appended("append_info's dict", appended[0] if appended else {})
    for name in counted:
        _checked_count(f"append_info[{name!r}]", values.get(name))
    return counted, values


def _checked_format(format: object, seal: Protection) -> str:
    if not isinstance(format, str) or format not in _FORMATS:
        raise ValueError(f"format must be 'ckpt' or 'safetensors', not {short_repr(format)}.")
    if format == "safetensors" and seal.key is not None:
        raise ValueError("format 'safetensors' does not support encryption: enc_key must be None.")
    if format == "safetensors" and seal.crc_check:
        raise ValueError("format 'safetensors' does not support checksums: crc_check must be False.")
    return format
