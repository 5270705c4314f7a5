"""Hyperparameters of TensorBoard: the session of a run, which is a trial, and the experiment it belongs to."""

from typing import NamedTuple

from google.protobuf.struct_pb2 import Value

from toposcope.proto import hparams_pb2 as messages
from toposcope.proto.tensorboard_pb2 import SummaryMetadata
from toposcope.server.values.lineage import Plain, text

EXPERIMENT = "_hparams_/experiment"
SESSION_START = "_hparams_/session_start_info"
SESSION_END = "_hparams_/session_end_info"
MAX_NAMES = 10_000
"""Limit on the hyperparameters and metrics in a message."""
_VALUE_TYPES = {
    "number_value": "float64",
    "string_value": "string",
    "bool_value": "bool",
    "list_value": "list",
    "struct_value": "struct",
}
_DECLARED_TYPES = {1: "string", 2: "bool", 3: "float64"}
_STATUSES = {1: "success", 2: "failure", 3: "running"}
_DATASETS = {1: "training", 2: "validation"}


class Hparam(NamedTuple):
    """A hyperparameter's value in one session."""

    type: str
    """"float64" (integers too), "string", "bool", "list", "struct" or "null"."""
    value: Plain


class Session(NamedTuple):
    """A training with a value for each hyperparameter."""

    hparams: dict[str, Hparam]
    """The hyperparameters, by name, in alphabetical order."""
    group: str
    """Sessions of a group repeat a trial."""
    model_uri: str
    monitor_url: str
    start_time: float | None
    """Seconds since 1970; None if the file does not state it."""
    end_time: float | None
    status: str
    """"success", "failure", "running", or "unknown" until the end is recorded."""


class HparamInfo(NamedTuple):
    """The declaration of a hyperparameter in an experiment."""

    name: str
    display_name: str
    description: str
    type: str | None
    """"string", "bool" or "float64"; None if it is not declared."""
    values: list[Plain] | None
    """The values it may take, if they are declared."""
    interval: tuple[float, float] | None
    """The least and the largest value it may take, if they are declared."""


class MetricInfo(NamedTuple):
    """The declaration of a metric in an experiment."""

    group: str
    """Path of the metric's run relative to the session; empty for the session itself."""
    tag: str
    """The scalar tag."""
    display_name: str
    description: str
    dataset: str | None
    """"training" or "validation"; None if it is not declared."""


class Experiment(NamedTuple):
    """An experiment, which several sessions share."""

    name: str
    description: str
    user: str
    time_created: float | None
    """Seconds since 1970; None if the file does not state it."""
    hparams: list[HparamInfo]
    metrics: list[MetricInfo]


def session_start(payload: bytes) -> Session:
    """Parse the metadata of the start of a session.

    Raises:
        DecodeError: the payload is not a SummaryMetadata message with an HParamsPluginData message.
        ValueError: it is not the start of a session, a name is not UTF-8, or there are more than MAX_NAMES names.
    """
    message = _plugin_data(payload, "session_start_info").session_start_info
    _check_count("hyperparameters", len(message.hparams))
    hparams = {name: _hparam(value) for name, value in message.hparams.items()}
    return Session(
        dict(sorted(hparams.items())),
        text(message.group_name),
        text(message.model_uri),
        text(message.monitor_url),
        message.start_time_secs if message.HasField("start_time_secs") else None,
        None,
        "unknown",
    )


def session_end(payload: bytes) -> tuple[str, float | None]:
    """Parse the metadata of the end of a session; return its (status, end_time), see Session.

    Raises:
        DecodeError, ValueError: see session_start.
    """
    message = _plugin_data(payload, "session_end_info").session_end_info
    return _STATUSES.get(message.status, "unknown"), message.end_time_secs if message.HasField(
        "end_time_secs"
    ) else None


def experiment(payload: bytes) -> Experiment:
    """Parse the metadata of an experiment.

    Raises:
        DecodeError, ValueError: see session_start.
    """
    message = _plugin_data(payload, "experiment").experiment
    _check_count("hyperparameters and metrics", len(message.hparam_infos) + len(message.metric_infos))
    return Experiment(
        text(message.name),
        text(message.description),
        text(message.user),
        message.time_created_secs if message.HasField("time_created_secs") else None,
        [_hparam_info(info) for info in message.hparam_infos],
        [_metric_info(info) for info in message.metric_infos],
    )


def _plugin_data(payload: bytes, expected: str) -> messages.HParamsPluginData:
    data = messages.HParamsPluginData.FromString(SummaryMetadata.FromString(payload).plugin_data.content)
    if data.WhichOneof("data") != expected:
        raise ValueError(f"expected {expected} instead of {data.WhichOneof('data')}")
    return data


def _check_count(what: str, count: int) -> None:
    if count > MAX_NAMES:
        raise ValueError(f"{count} {what} exceed the limit of {MAX_NAMES}")


def _hparam(value: Value) -> Hparam:
    return Hparam(_VALUE_TYPES.get(value.WhichOneof("kind") or "", "null"), _plain(value))


def _plain(value: Value) -> Plain:
    """Return a value as plain data; protobuf limits its nesting to 100 levels."""
    match value.WhichOneof("kind"):
        case "number_value":
            return value.number_value
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_plain(item) for item in value.list_value.values]
        case "struct_value":
            return {name: _plain(item) for name, item in value.struct_value.fields.items()}
        case _:
            return None


def _hparam_info(message: messages.HParamInfo) -> HparamInfo:
    domain = message.WhichOneof("domain")
    return HparamInfo(
        text(message.name),
        text(message.display_name),
        text(message.description),
        _DECLARED_TYPES.get(message.type),
        [_plain(value) for value in message.domain_discrete.values] if domain == "domain_discrete" else None,
        (message.domain_interval.min_value, message.domain_interval.max_value) if domain == "domain_interval" else None,
    )


def _metric_info(message: messages.MetricInfo) -> MetricInfo:
    return MetricInfo(
        text(message.name.group),
        text(message.name.tag),
        text(message.display_name),
        text(message.description),
        _DATASETS.get(message.dataset_type),
    )
