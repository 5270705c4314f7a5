"""The environment of a callback of LightGBM, without LightGBM."""

import socket
from typing import NamedTuple

import pytest

from toposcope.recorder.frameworks.boosting.evaluations import Evaluation, named_results, training_loss
from toposcope.recorder.frameworks.lightgbm.environment import evaluations_of, is_first_machine, learning_rate_of


class EvalResult(NamedTuple):
    """As in LightGBM 4.7."""

    dataset_name: str
    metric_name: str
    metric_value: float
    maximize: bool
    metric_std_dev: float | None = None


@pytest.mark.parametrize("kind", [tuple, EvalResult._make])
def test_results_of_all_versions_are_read(kind: type) -> None:
    """Named tuples, tuples of four and of five items, and the joined names of a cross-validation."""
    assert list(evaluations_of([kind(("valid", "l2", 0.5, False, None))])) == [Evaluation("valid", "l2", 0.5)]
    assert list(evaluations_of([("valid", "l2", 0.5, False)])) == [Evaluation("valid", "l2", 0.5)]
    expected = [Evaluation("train", "my metric", 0.5, 0.25)]
    assert list(evaluations_of([kind(("train", "my metric", 0.5, False, 0.25))])) == expected
    assert list(evaluations_of([kind(("cv_agg", "train my metric", 0.5, False, 0.25))])) == expected
    assert list(evaluations_of(None)) == []


def test_names_of_results() -> None:
    """A deviation has a name of its own."""
    evaluations = [Evaluation("train", "l2", 0.5, 0.25), Evaluation("valid", "auc", 0.75)]
    assert named_results(evaluations) == {"train/l2": 0.5, "train/l2_std": 0.25, "valid/auc": 0.75}


def test_loss_is_a_loss_of_the_training_data() -> None:
    """Unless the user names another evaluation."""
    evaluations = [
        Evaluation("valid", "l2", 0.1),
        Evaluation("training", "auc", 0.2),
        Evaluation("training", "mine", 0.3),
        Evaluation("training", "l1", 0.4),
        Evaluation("training", "l2", 0.5),
    ]
    assert training_loss(evaluations, None) == 0.4
    assert training_loss(evaluations, "training/mine") == 0.3
    assert training_loss(evaluations, "training/other") is None
    assert training_loss(evaluations[:3], None) is None
    assert training_loss([Evaluation("train", "tweedie-nloglik@1.5", 0.6)], None) == 0.6


def test_learning_rate_has_several_names() -> None:
    """Without any it is LightGBM's default."""
    assert learning_rate_of({"eta": 0.2}) == 0.2
    assert learning_rate_of({"learning_rate": 0.3, "eta": 0.2}) == 0.3
    assert learning_rate_of({}) == 0.1
    assert learning_rate_of({"eta": "0.2"}) is None


def test_first_machine_is_the_one_with_its_address_and_port() -> None:
    """Addresses of other machines cannot be bound here."""
    assert is_first_machine({})
    machines = {"machines": "127.0.0.1:12400,127.0.0.1:12401"}
    assert is_first_machine(machines | {"local_listen_port": 12400})
    assert not is_first_machine(machines | {"local_listen_port": 12401})
    assert not is_first_machine({"workers": "192.0.2.1:12400", "port": 12400})
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        assert is_first_machine({"machines": f"127.0.0.1:{port}", "local_listen_port": port})
