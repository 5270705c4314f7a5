"""Hyperparameters of TensorBoard as plain data."""

import math
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf import struct_pb2
from google.protobuf.message import DecodeError
from support.event_files import GOLDEN

from toposcope.proto import framing, hparams_pb2
from toposcope.proto.hparams_pb2 import HParamsPluginData
from toposcope.proto.tensorboard_pb2 import Event, SummaryMetadata
from toposcope.server.values.hparams import (
    EXPERIMENT,
    MAX_NAMES,
    SESSION_END,
    SESSION_START,
    Experiment,
    Hparam,
    HparamInfo,
    MetricInfo,
    experiment,
    session_end,
    session_start,
)


def _metadata(**data: Any) -> bytes:
    """Return the payload of a value of the plugin."""
    content = HParamsPluginData(**data).SerializeToString()
    plugin_data = SummaryMetadata.PluginData(plugin_name="hparams", content=content)
    return SummaryMetadata(plugin_data=plugin_data).SerializeToString()


def _golden_metadata(run: str) -> dict[str, bytes]:
    """Return the payloads by tag of the plugin in a run recorded by tensorboardX."""
    (path,) = (GOLDEN / "tensorboard/tensorboardx").glob(f"{run}/*/events*")
    content, start, payloads = path.read_bytes(), 0, {}
    while start < len(content):
        begin = start + framing.HEADER_BYTES
        end = begin + framing.read_header(content[start:begin]).length
        for value in Event.FromString(content[begin:end]).summary.value:
            if value.metadata.plugin_data.plugin_name == "hparams":
                payloads[value.tag] = value.metadata.SerializeToString()
        start = end + framing.FOOTER_BYTES
    return payloads


@pytest.mark.parametrize(("run", "rate"), [("lr_0.1", 0.1), ("lr_0.01", 0.01)])
def test_golden_hyperparameters_equal_those_recorded(run: str, rate: float) -> None:
    """A rate, a batch size, an optimizer and a metric."""
    payloads = _golden_metadata(run)

    session = session_start(payloads[SESSION_START])
    described = experiment(payloads[EXPERIMENT])

    assert session.hparams == {
        "batch": Hparam("float64", 32.0),
        "lr": Hparam("float64", rate),
        "opt": Hparam("string", "sgd"),
    }
    assert (session.status, session.start_time, session.end_time) == ("unknown", None, None)
    assert session_end(payloads[SESSION_END]) == ("success", None)
    assert [(info.name, info.type) for info in described.hparams] == [
        ("lr", "float64"),
        ("batch", "float64"),
        ("opt", "string"),
    ]
    assert described.metrics == [MetricInfo("", "hparam/accuracy", "", "", None)]


def test_experiment_has_domains_and_metrics() -> None:
    """Domains, display names and groups of metrics recorded by TensorFlow's hparams_config are read."""
    message = hparams_pb2.Experiment(name="digits", description="of 1797", user="me", time_created_secs=5.5)
    rate = message.hparam_infos.add(name="lr", display_name="rate", description="step", type="DATA_TYPE_FLOAT64")
    rate.domain_interval.min_value, rate.domain_interval.max_value = 0.001, math.inf
    optimizer = message.hparam_infos.add(name="opt", type="DATA_TYPE_STRING")
    optimizer.domain_discrete.values.add().string_value = "sgd"
    optimizer.domain_discrete.values.add().string_value = "adam"
    message.hparam_infos.add(name="free")
    metric = message.metric_infos.add(display_name="Accuracy", description="of all", dataset_type="DATASET_VALIDATION")
    metric.name.group, metric.name.tag = "validation", "epoch_accuracy"

    assert experiment(_metadata(experiment=message)) == Experiment(
        "digits",
        "of 1797",
        "me",
        5.5,
        [
            HparamInfo("lr", "rate", "step", "float64", None, (0.001, math.inf)),
            HparamInfo("opt", "", "", "string", ["sgd", "adam"], None),
            HparamInfo("free", "", "", None, None, None),
        ],
        [MetricInfo("validation", "epoch_accuracy", "Accuracy", "of all", "validation")],
    )


def test_values_of_every_type_are_read() -> None:
    """Numbers, texts, bools, null, lists and dicts."""
    start = hparams_pb2.SessionStartInfo(group_name="g", model_uri="m", monitor_url="u", start_time_secs=1.5)
    start.hparams["limit"].number_value = math.inf
    start.hparams["flag"].bool_value = False
    start.hparams["none"].null_value = struct_pb2.NULL_VALUE
    start.hparams["unset"].SetInParent()
    layers = start.hparams["layers"].list_value.values
    layers.add().number_value = 8
    layers.add().struct_value.fields["width"].string_value = "wide"

    session = session_start(_metadata(session_start_info=start))

    assert session.hparams == {
        "flag": Hparam("bool", False),
        "layers": Hparam("list", [8.0, {"width": "wide"}]),
        "limit": Hparam("float64", math.inf),
        "none": Hparam("null", None),
        "unset": Hparam("null", None),
    }
    assert (session.group, session.model_uri, session.monitor_url, session.start_time) == ("g", "m", "u", 1.5)


@pytest.mark.parametrize(("code", "status"), [(0, "unknown"), (1, "success"), (2, "failure"), (3, "running")])
def test_end_of_a_session_has_status_and_time(code: int, status: str) -> None:
    """Both are in one message."""
    end = hparams_pb2.SessionEndInfo(end_time_secs=2.5, status=hparams_pb2.Status.Name(code))

    assert session_end(_metadata(session_end_info=end)) == (status, 2.5)


def test_unsupported_status_is_unknown() -> None:
    """A newer TensorBoard may define more."""
    content = b"\x22\x02\x08\x63"  # session_end_info { status: 99 }

    payload = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(content=content)).SerializeToString()

    assert session_end(payload) == ("unknown", None)


def test_other_metadata_are_errors() -> None:
    """The tag of a session with an experiment, without content or with damaged bytes is an error."""
    described = _metadata(experiment=hparams_pb2.Experiment(name="a"))

    with pytest.raises(ValueError, match="expected session_start_info instead of experiment"):
        session_start(described)
    with pytest.raises(ValueError, match="expected experiment instead of None"):
        experiment(b"")
    with pytest.raises(DecodeError):
        session_end(b"\x0a\xff")
    with pytest.raises(DecodeError):
        session_end(SummaryMetadata(plugin_data=SummaryMetadata.PluginData(content=b"\xff")).SerializeToString())


def test_names_that_are_not_utf8_are_errors() -> None:
    """They could not be sorted with other names."""
    names = b"\x0a\x03\x0a\x01\xff\x0a\x03\x0a\x01a"  # hparams { key: "\377" } hparams { key: "a" }
    content = b"\x1a" + bytes([len(names)]) + names  # session_start_info

    with pytest.raises(ValueError, match="utf-8"):
        session_start(SummaryMetadata(plugin_data=SummaryMetadata.PluginData(content=content)).SerializeToString())


def test_too_many_names_are_an_error() -> None:
    """An empty entry takes two bytes in a message, but a hundred in a reply."""
    start = hparams_pb2.SessionStartInfo()
    described = hparams_pb2.Experiment()
    for number in range(MAX_NAMES + 1):
        start.hparams[str(number)].number_value = number
        described.metric_infos.add()

    for read, payload in (
        (session_start, _metadata(session_start_info=start)),
        (experiment, _metadata(experiment=described)),
    ):
        with pytest.raises(ValueError, match=f"{MAX_NAMES + 1} .* exceed the limit of {MAX_NAMES}"):
            read(payload)


def test_changed_bytes_raise_nothing_unexpected() -> None:
    """Flipping any bit of a message raises nothing but the documented errors."""
    content = _golden_metadata("lr_0.1")[SESSION_START]
    for at in range(len(content)):
        for bit in (0, 1, 7):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            with suppress(DecodeError, ValueError):
                session_start(bytes(changed))
