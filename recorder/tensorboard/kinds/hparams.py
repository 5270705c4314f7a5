"""Hyperparameters of TensorBoard's plugin "hparams": an experiment and the start and end of a session."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.struct_pb2 import ListValue
from google.protobuf.struct_pb2 import Value as StructValue

from toposcope.proto.framing import Buffer
from toposcope.proto.hparams_pb2 import (
    DATA_TYPE_BOOL,
    DATA_TYPE_FLOAT64,
    DATA_TYPE_STRING,
    STATUS_SUCCESS,
    Experiment,
    HParamInfo,
    HParamsPluginData,
    MetricInfo,
    MetricName,
    SessionEndInfo,
    SessionStartInfo,
)
from toposcope.proto.tensorboard_pb2 import Summary
from toposcope.recorder.secrets.hiding import HIDDEN, hide_secrets
from toposcope.recorder.secrets.secret_names import names_secret
from toposcope.recorder.tensorboard.files.dialect import value_entry
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.scalar import scalar_from

_EXPERIMENT, _START, _END = (
    "_hparams_/experiment",
    "_hparams_/session_start_info",
    "_hparams_/session_end_info",
)


class HparamsValue(NamedTuple):
    """A value that consists of its metadata alone."""

    content: bytes
    """The HParamsPluginData message."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return [metadata_field("hparams", self.content)]


def hparams_values(
    hyper_parameters: Mapping[str, Any], metrics: Sequence[str], domains: Mapping[str, Any] | None
) -> list[dict[str, HparamsValue]]:
    """Return the three values of a session, each by its tag, in the order in which TensorBoard expects them.

    Args:
        hyper_parameters: a bool, a number, a str, a function, which counts as its name, or an array of one number for
            each name. None: it is left out.
        metrics: the tags of the metrics.
        domains: the possible values of hyperparameters, by name.

    Raises:
        TypeError: a name is not a str, or domains is not a dict of the hyperparameters' names to lists of their values'
            type.
        ValueError: the value of a hyperparameter is another one.
    """
    for name in (*hyper_parameters, *metrics):
        if not isinstance(name, str):
            raise TypeError(f"The names of hyperparameters and metrics must be str, not {short_repr(name)}.")
    plain = {name: _shown(name, _plain(name, value)) for name, value in hyper_parameters.items() if value is not None}
    _check_domains(domains or {}, plain)
    infos = [_info(name, value, (domains or {}).get(name)) for name, value in plain.items()]
    experiment = Experiment(
        hparam_infos=infos, metric_infos=[MetricInfo(name=MetricName(tag=metric)) for metric in metrics]
    )
    start = SessionStartInfo()
    for name, value in plain.items():
        start.hparams[name].CopyFrom(_struct_value(value))
    data = {
        _EXPERIMENT: HParamsPluginData(experiment=experiment),
        _START: HParamsPluginData(session_start_info=start),
        _END: HParamsPluginData(session_end_info=SessionEndInfo(status=STATUS_SUCCESS)),
    }
    return [{tag: HparamsValue(message.SerializeToString())} for tag, message in data.items()]


def hparams_summaries(
    hparam_dict: Mapping[str, Any],
    metric_dict: Mapping[str, Any],
    hparam_domain_discrete: Mapping[str, Any] | None = None,
) -> tuple[Summary, Summary, Summary]:
    """Return the values of a session as messages, like torch.utils.tensorboard.summary.hparams(): see hparams_values().

    Raises:
        TypeError: hparam_domain_discrete does not match hparam_dict.
        ValueError: the value of a hyperparameter is of another kind.
    """
    events = hparams_values(hparam_dict, list(metric_dict), hparam_domain_discrete)
    first, second, third = (
        Summary.FromString(b"".join(value_entry(tag, value))) for values in events for tag, value in values.items()
    )
    return first, second, third


def _shown(name: str, value: bool | float | str) -> bool | float | str:
    """Return the value of a hyperparameter without secrets: vars(args) may contain tokens."""
    if not isinstance(value, str):
        return value
    return HIDDEN if value and names_secret(name) else hide_secrets(value)


def _plain(name: str, value: Any) -> bool | float | str:
    if isinstance(value, bool | str):
        return value
    if callable(value):
        return str(getattr(value, "__name__", value))
    if getattr(getattr(value, "dtype", None), "kind", "") == "b":  # NumPy's bool.
        return bool(value)
    try:
        return scalar_from(value).value
    except (TypeError, ValueError, UnreadableValueError) as error:
        raise ValueError(
            f"The hyperparameter {name!r} must be a bool, a number, a str or an array of one number, "
            f"not {short_repr(value)}: {error}"
        ) from None


def _check_domains(domains: Mapping[str, Any], plain: Mapping[str, bool | float | str]) -> None:
    if not isinstance(domains, Mapping):
        raise TypeError(f"hparam_domain_discrete must be a dict, not {short_repr(domains)}.")
    for name, domain in domains.items():
        kind = str if isinstance(plain.get(name), str) else (bool, int, float)
        if name not in plain or not isinstance(domain, list | tuple) or not all(isinstance(v, kind) for v in domain):
            raise TypeError(
                f"hparam_domain_discrete[{name!r}] must be a list of values of the hyperparameter {name!r}, "
                f"not {short_repr(domain)}."
            )


def _info(name: str, value: bool | float | str, domain: Sequence[Any] | None) -> HParamInfo:
    kind = (
        DATA_TYPE_BOOL
        if isinstance(value, bool)
        else (DATA_TYPE_STRING if isinstance(value, str) else DATA_TYPE_FLOAT64)
    )
    if domain is None:
        return HParamInfo(name=name, type=kind)
    return HParamInfo(name=name, type=kind, domain_discrete=ListValue(values=[_struct_value(each) for each in domain]))


def _struct_value(value: bool | float | str) -> StructValue:
    if isinstance(value, bool):
        return StructValue(bool_value=value)
    return StructValue(string_value=value) if isinstance(value, str) else StructValue(number_value=value)
