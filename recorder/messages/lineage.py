"""Builds lineage messages: how a model was trained, with which settings, and how it was evaluated."""

import json
import os
from collections.abc import Mapping
from typing import SupportsIndex

import numpy as np
from google.protobuf.message import Message

from toposcope.proto.lineage_pb2 import EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder.arguments import checked_integer, checked_text
from toposcope.recorder.messages.plain_data import items_of, plain_from, utf8
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.scalar import scalar_from

_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


def train_lineage(
    *,
    optimizer: str | None = None,
    learning_rate: object = None,
    loss_function: str | None = None,
    epoch: SupportsIndex | None = None,
    parallel_mode: str | None = None,
    device_num: SupportsIndex | None = None,
    batch_size: SupportsIndex | None = None,
    train_dataset_path: str | os.PathLike[str] | None = None,
    train_dataset_size: SupportsIndex | None = None,
    network: str | None = None,
    loss: object = None,
    model_path: str | os.PathLike[str] | None = None,
    model_size: SupportsIndex | None = None,
) -> TrainLineage:
    """Return the lineage of a training. Arguments that are None are absent from the message.

    Args:
        optimizer: name of its class.
        learning_rate: a real number, or an array or tensor of any framework with one element.
        loss_function: name of its class.
        epoch: number of epochs.
        parallel_mode: "stand_alone", "data_parallel", ...
        device_num: number of devices.
        batch_size: in samples.
        train_dataset_path: a file or directory.
        train_dataset_size: in samples.
        network: name of the class of the model.
        loss: the last loss; same types as learning_rate.
        model_path: path of the checkpoint.
        model_size: size of the checkpoint in bytes.

    Raises:
        TypeError: an argument has the wrong type. NumPy's integers are accepted.
        ValueError: a count is negative, or a number is too large for the format.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    lineage = TrainLineage()
    hyper_parameters, algorithm, model = lineage.hyper_parameters, lineage.algorithm, lineage.model
    _set_texts(hyper_parameters, optimizer=optimizer, loss_function=loss_function, parallel_mode=parallel_mode)
    _set_reals(hyper_parameters, learning_rate=learning_rate)
    _set_counts(hyper_parameters, epoch=epoch, device_num=device_num, batch_size=batch_size)
    _set_texts(lineage.train_dataset, train_dataset_path=_path("train_dataset_path", train_dataset_path))
    _set_counts(lineage.train_dataset, train_dataset_size=train_dataset_size)
    _set_texts(algorithm, network=network)
    _set_reals(algorithm, loss=loss)
    if model_path is not None:
        model.path = json.dumps({"ckpt": _path("model_path", model_path)})
    if model_size is not None:
        model.size = checked_integer("model_size", model_size, lowest=0)
    return lineage


def eval_lineage(
    metrics: Mapping[str, object],
    *,
    valid_dataset_path: str | os.PathLike[str] | None = None,
    valid_dataset_size: SupportsIndex | None = None,
) -> EvaluationLineage:
    """Return the lineage of an evaluation.

    Args:
        metrics: values by name: numbers, arrays or tensors (stored as lists), str, None, or lists or dicts of these.
        valid_dataset_path: a file or directory.
        valid_dataset_size: in samples.

    Raises:
        TypeError: an argument or a metric has the wrong type.
        ValueError: valid_dataset_size is negative or does not fit in 64 bits.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    plain = {name: plain_from(f"metric {name!r}", value) for name, value in items_of("metrics", metrics)}
    lineage = EvaluationLineage(metric=json.dumps(plain))
    _set_texts(lineage.valid_dataset, valid_dataset_path=_path("valid_dataset_path", valid_dataset_path))
    _set_counts(lineage.valid_dataset, valid_dataset_size=valid_dataset_size)
    return lineage


def custom_lineage(data: Mapping[str, object]) -> UserDefinedInfo:
    """Return custom lineage: settings of the user by name.

    MindInsight shows custom lineage only if the same file also contains another kind of lineage.

    Args:
        data: at least one str, int, float or bool (also NumPy's) by name.

    Raises:
        TypeError: data is not a mapping from str, or a value has the wrong type.
        ValueError: data is empty, or an int does not fit in 64 bits.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    info = UserDefinedInfo()
    for name, value in items_of("data", data):
        set_custom(info.user_info.add(), f"data[{name!r}]", name, value)
    if not info.user_info:
        raise ValueError("data is empty; custom lineage must have at least one entry.")
    return info


def set_custom(entry: UserDefinedInfo, what: str, name: str, value: object, *, takes_bool: bool = True) -> None:
    """Set one entry of custom lineage.

    Args:
        entry: an empty entry.
        what: name of the value in error messages, "data['rate']" for example.
        name: key of the value.
        value: a value that custom_lineage() accepts.
        takes_bool: whether value may be a bool.

    Raises:
        TypeError: value has the wrong type.
        ValueError: an int does not fit in 64 bits.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    try:
        plain = plain_from(what, value)
    except TypeError:  # Its message would list types that are not accepted here.
        plain = None
    if plain is None or isinstance(plain, list | tuple | dict) or (isinstance(plain, bool) and not takes_bool):
        types = "str, int, float or bool" if takes_bool else "str, int or float"
        raise TypeError(f"{what} must be a {types}, not {short_repr(value)}.")
    _set_plain(entry, what, utf8(name), plain)


def _set_plain(entry: UserDefinedInfo, what: str, name: str, value: str | bool | int | float) -> None:
    match value:
        case str():
            entry.map_str[name] = utf8(value)
        case bool():
            entry.map_int32[name] = int(value)
            entry.map_bool[name] = value
        case int() if value in _INT32:
            entry.map_int32[name] = value
        case int() if value in _INT64:
            entry.map_double[name] = float(value)
            entry.map_int64[name] = value
        case int():
            raise ValueError(f"{what} must be a 64-bit integer; {short_repr(value)} is too large.")
        case float():
            entry.map_double[name] = value


def _set_texts(message: Message, **texts: object) -> None:
    for field, text in texts.items():
        if text is not None:
            setattr(message, field, utf8(checked_text(field, text)))


def _set_reals(message: Message, **numbers: object) -> None:
    for field, number in numbers.items():
        if number is None:
            continue
        exact = _real(field, number)
        with np.errstate(over="ignore"):
            nearest = float(np.float32(exact))
        setattr(message, field, nearest)
        if nearest != exact and exact == exact:
            setattr(message, f"{field}_double", exact)


def _set_counts(message: Message, **counts: object) -> None:
    for field, count in counts.items():
        if count is None:
            continue
        number, wide_field = checked_integer(field, count, lowest=0), f"{field}_int64"
        if number not in _INT32 and wide_field not in message.DESCRIPTOR.fields_by_name:
            raise ValueError(f"{field} must be a 32-bit integer; {short_repr(count)} is too large.")
        setattr(message, field, min(number, _INT32[-1]))
        if number not in _INT32:
            setattr(message, wide_field, number)


def _real(parameter: str, number: object) -> float:
    try:
        return scalar_from(number).value
    except TypeError as error:
        raise TypeError(f"{parameter}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{parameter}: {error}") from None


def _path(parameter: str, path: object) -> str | None:
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if text is not None and not isinstance(text, str):
        raise TypeError(f"{parameter} must be a str or an os.PathLike, not {short_repr(path)}.")
    return text
