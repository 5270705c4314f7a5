"""CheckpointConfig: the policy that results from its arguments, and invalid arguments."""

import inspect
from typing import Any

import numpy as np
import pytest
from support.line_network import Line
from support.pytorch import torch

from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig

POLICY = ("save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes")


def policy_of(**arguments: Any) -> tuple[Any, ...]:
    """Return the four numbers of the policy."""
    policy = CheckpointConfig(**arguments).get_checkpoint_policy()
    return tuple(policy[name] for name in POLICY)


def test_signature_is_the_documented_one() -> None:
    parameters = inspect.signature(CheckpointConfig).parameters.values()
    assert {each.name: each.default for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD} == {
        **{"save_checkpoint_steps": 1, "save_checkpoint_seconds": 0, "keep_checkpoint_max": 5},
        **{"keep_checkpoint_per_n_minutes": 0, "integrated_save": True, "async_save": False, "saved_network": None},
        **{"append_info": None, "enc_key": None, "enc_mode": "AES-GCM", "exception_save": False},
    }
    assert "save_checkpoint_steps: int | None = 1," in str(inspect.signature(CheckpointConfig))


@pytest.mark.parametrize(
    ("arguments", "policy"),
    [
        ({}, (1, None, 5, None)),
        ({"save_checkpoint_seconds": 30}, (None, 30, 5, None)),
        ({"save_checkpoint_steps": 1, "save_checkpoint_seconds": 30}, (1, None, 5, None)),
        ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 30}, (None, 30, 5, None)),
        ({"save_checkpoint_steps": None, "save_checkpoint_seconds": None}, (None, None, 5, None)),
        ({"save_checkpoint_steps": 0}, (None, None, 5, None)),
        ({"keep_checkpoint_per_n_minutes": 10}, (1, None, None, 10)),
        ({"keep_checkpoint_max": 5, "keep_checkpoint_per_n_minutes": 10}, (1, None, 5, None)),
        ({"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 10}, (1, None, None, 10)),
        ({"keep_checkpoint_max": 0}, (1, None, 1, None)),
        ({"keep_checkpoint_max": np.int64(3)}, (1, None, 3, None)),
    ],
)
def test_explicit_number_overrides_a_default_and_the_first_of_two_is_used(
    arguments: dict[str, Any], policy: tuple[Any, ...]
) -> None:
    assert policy_of(**arguments) == policy


def test_numbers_of_the_policy_are_properties_of_the_documented_type() -> None:
    """Also those that are not used, which are 0."""
    config = CheckpointConfig()
    assert [getattr(config, name) for name in POLICY] == [1, 0, 5, 0]
    config = CheckpointConfig(save_checkpoint_seconds=30, keep_checkpoint_per_n_minutes=10)
    assert [getattr(config, name) for name in POLICY] == [0, 30, 0, 10]


def test_properties_return_the_arguments() -> None:
    network = Line()
    config = CheckpointConfig(
        integrated_save=False,
        async_save=True,
        saved_network=network,
        append_info=["epoch_num", {"a": 1}],
        enc_key=bytes(16),
        enc_mode="AES-CBC",
        exception_save=True,
        crc_check=True,
        remove_redundancy=True,
    )
    assert (config.integrated_save, config.async_save, config.saved_network) == (False, True, network)
    assert (config.enc_key, config.enc_mode, config.exception_save) == (bytes(16), "AES-CBC", True)
    assert (config.crc_check, config.remove_redundancy, config.format) == (True, True, "ckpt")
    assert config.append_dict == {"epoch_num": 0, "a": 1}
    assert config.get_checkpoint_policy()["saved_network"] is network


def test_numbers_in_append_info_are_offsets_of_the_counts() -> None:
    info: list[str | dict[str, float]] = ["step_num", "epoch_num", {"epoch_num": 10, "rate": 0.5}]
    assert CheckpointConfig(append_info=info).appended_at(2, 7) == {"epoch_num": 12, "rate": 0.5, "step_num": 7}
    assert CheckpointConfig(append_info=[{"epoch_num": 10}]).appended_at(2, 7) == {"epoch_num": 10}
    assert CheckpointConfig().appended_at(2, 7) == {}


@pytest.mark.parametrize("create", [Line, lambda: torch.nn.ReLU()])
def test_networks_of_any_kind_may_be_saved(create: Any) -> None:
    network = create()
    assert CheckpointConfig(saved_network=network).saved_network is network


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        *((name, [-1, 1.5, "1", True, [1]]) for name in POLICY),
        *((name, [1, None, "yes"]) for name in ("integrated_save", "exception_save", "crc_check", "remove_redundancy")),
        ("async_save", [1, None, "process", "later"]),
        ("saved_network", [1, "net", [], Line]),
        ("append_info", ["epoch_num", {"a": 1}, ["steps"], [1], [{"a": 1}, {"b": 1}], [{"a": [1]}], [{1: 1}]]),
        ("append_info", [["epoch_num", {"epoch_num": "ten"}], [{"a": None}], [None]]),
        ("enc_key", ["0123456789abcdef", b"", bytes(15), bytearray(16), 1]),
        ("enc_mode", ["SM4-CBC", "aes-gcm", None, 1]),
        ("format", ["npz", None, 1]),
    ],
)
def test_value_errors_name_the_invalid_argument(parameter: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=parameter):
            CheckpointConfig(**{parameter: value})


def test_policy_without_triggers_and_retention_rules_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        CheckpointConfig(0, None, 0, None)


@pytest.mark.parametrize("arguments", [{"enc_key": bytes(16)}, {"crc_check": True}])
def test_safetensors_supports_neither_encryption_nor_checksum(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        CheckpointConfig(format="safetensors", **arguments)
