"""The arguments of SummaryCollector."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.collecting.collected_data import HYPER_CONFIG_VARIABLE, checked_custom_lineage, collected_data
from toposcope.recorder.landscapes.plan.settings import landscape_settings

DEFAULTS = {
    *("collect_metric", "collect_graph", "collect_train_lineage", "collect_eval_lineage", "collect_input_data"),
    *("collect_dataset_graph", "collect_eval_metrics", "collect_learning_rate", "collect_throughput"),
    *("collect_machine", "collect_environment", "collect_code", "collect_optimizer_facts"),
}


def test_defaults_are_the_documented_ones() -> None:
    """Everything except gradients, landscapes and the console is enabled."""
    data = collected_data(None, True)

    assert data.enabled == DEFAULTS
    assert data.collects_histograms
    assert (data.histogram_regular, data.gradient_histogram_regular, data.landscape) == (None, None, None)


def test_specified_keys_change_and_others_keep_their_defaults() -> None:
    """Switches and patterns alike."""
    data = collected_data({"collect_metric": False, "histogram_regular": "^conv1.*"}, True)

    assert data.enabled == DEFAULTS - {"collect_metric"}
    assert data.histogram_regular is not None
    assert data.histogram_regular.match("conv1.weight")


@pytest.mark.parametrize("specified", [None, {}])
def test_without_default_action_nothing_is_collected(specified: dict[str, Any] | None) -> None:
    """keep_default_action=False disables all keys that are not specified."""
    data = collected_data(specified, False)

    assert (data.enabled, data.collects_histograms, data.landscape) == (frozenset(), False, None)


def test_without_default_action_only_specified_keys_are_collected() -> None:
    """Also histograms, of the first five parameters if the pattern is None."""
    data = collected_data({"collect_metric": True, "collect_graph": False, "histogram_regular": None}, False)

    assert (data.enabled, data.collects_histograms) == (frozenset({"collect_metric"}), True)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("summary_dir", 5, TypeError),
        ("summary_dir", "  ", ValueError),
        ("summary_dir", __file__, NotADirectoryError),
        ("collect_freq", True, TypeError),
        ("collect_freq", 1.0, TypeError),
        ("collect_freq", "10", TypeError),
        ("collect_freq", None, TypeError),
        ("collect_freq", 0, ValueError),
        ("collect_freq", -1, ValueError),
        ("collect_specified_data", [], TypeError),
        ("collect_specified_data", {1: True}, TypeError),
        ("collect_specified_data", {"collect_metrics": True}, ValueError),
        ("collect_specified_data", {"collect_metric": 1}, TypeError),
        ("collect_specified_data", {"collect_metric": None}, TypeError),
        ("collect_specified_data", {"collect_gradient_norm": "yes"}, TypeError),
        ("collect_specified_data", {"histogram_regular": 5}, TypeError),
        ("collect_specified_data", {"histogram_regular": "("}, ValueError),
        ("collect_specified_data", {"gradient_histogram_regular": "["}, ValueError),
        ("collect_specified_data", {"collect_landscape": True}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"size": 4}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"landscape_size": 2}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"landscape_size": 257}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"landscape_size": 4.0}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"unit": "batch"}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"unit": ["step"]}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"unit": 123}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"unit": None}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"unit": np.ones(2)}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"num_samples": "128"}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"num_samples": 0}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"create_landscape": True}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"create_landscape": {"final": True}}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"create_landscape": {"train": 1}}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"intervals": 5}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"intervals": None}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"intervals": [[4, 4, 5]]}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"intervals": []}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"intervals": [1, 2, 3]}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"intervals": [[1, 2]]}}, ValueError),
        ("collect_specified_data", {"collect_landscape": {"intervals": [[1, 2, 3.5]]}}, TypeError),
        ("collect_specified_data", {"collect_landscape": {"intervals": [[0, 1, 2]]}}, ValueError),
        ("keep_default_action", 1, TypeError),
        ("keep_default_action", None, TypeError),
        ("custom_lineage_data", [("a", 1)], TypeError),
        ("custom_lineage_data", {1: 1}, TypeError),
        ("custom_lineage_data", {"a": True}, TypeError),
        ("custom_lineage_data", {"a": None}, TypeError),
        ("custom_lineage_data", {"a": [1]}, TypeError),
        ("custom_lineage_data", {"a": 2**64}, ValueError),
        ("collect_tensor_freq", 1.5, TypeError),
        ("collect_tensor_freq", 0, ValueError),
        ("max_file_size", "4", TypeError),
        ("max_file_size", 0, ValueError),
        ("export_options", "npy", TypeError),
        ("export_options", {"tensor_format": 1}, TypeError),
        ("export_options", {"tensor_format": "csv"}, ValueError),
        ("export_options", {"format": "npy"}, ValueError),
        ("all_ranks", 1, TypeError),
    ],
)
def test_invalid_argument_is_an_error_at_construction(tmp_path: Path, name: str, value: object, error: type) -> None:
    """The error is the documented one, and no file is created."""
    arguments: dict[str, Any] = {"summary_dir": tmp_path / "run", name: value}

    with pytest.raises(error, match=r"\S{3}"):
        SummaryCollector(**arguments)
    assert not list(tmp_path.rglob("*.summary.*"))


def test_error_names_the_unknown_key_and_the_existing_ones() -> None:
    """A misspelled key is easy to correct."""
    with pytest.raises(ValueError, match=r"'collect_metric', .*'collect_landscape'; not 'colect_metric'"):
        collected_data({"colect_metric": True}, True)


@pytest.mark.parametrize("value", [[1], None, True, np.bool_(True), {"b": 1}, object(), np.ones(2)])
def test_error_of_custom_lineage_names_the_argument_and_the_accepted_types(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^custom_lineage_data\['a'\] .* str, int or float, not "):
        SummaryCollector("run", custom_lineage_data={"b": 1, "a": value})
    with pytest.raises(ValueError, match=r"^custom_lineage_data\['a'\] .*64"):
        SummaryCollector("run", custom_lineage_data={"a": 2**64})


def test_landscape_has_the_documented_defaults() -> None:
    """{} means one interval spread over the training; a partial dict changes only the keys in it."""
    settings = landscape_settings({})
    partial = landscape_settings({"create_landscape": {"result": False}, "intervals": [[3, 1, 2]]})

    assert settings is not None
    assert (settings.landscape_size, settings.unit, settings.num_samples, settings.intervals) == (40, "step", 128, None)
    assert settings.create_landscape == {"train": True, "result": True}
    assert partial is not None
    assert partial.create_landscape == {"train": True, "result": False}
    assert partial.intervals == ((3, 1, 2),)


def test_custom_lineage_of_the_tuner_is_merged_and_the_users_has_precedence() -> None:
    """MINDINSIGHT_HYPER_CONFIG contains the hyperparameters of MindInsight's tuner."""
    config = {"params": {}, "custom_lineage_data": {"a": 1, "b": "tuned"}}
    lineage = checked_custom_lineage({"b": "mine", "c": 0.5}, {HYPER_CONFIG_VARIABLE: json.dumps(config)})

    assert lineage == {"a": 1, "b": "mine", "c": 0.5}


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", '"text"', "[" * 99_999, json.dumps({"x": "y" * 100_000}), '{"custom_lineage_data": {"a": [1]}}'],
)
def test_invalid_config_of_the_tuner_is_ignored(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """There is one warning, and the user's data are kept."""
    with caplog.at_level(logging.WARNING):
        assert checked_custom_lineage({"a": 1}, {HYPER_CONFIG_VARIABLE: text}) == {"a": 1}

    assert len(caplog.records) == 1
    assert HYPER_CONFIG_VARIABLE in caplog.text
