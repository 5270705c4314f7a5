"""GET and POST /api/importance."""

import math
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN, loss_run
from support.servers import Serve

from toposcope.recorder import SummaryRecord, custom_lineage, eval_lineage, train_lineage
from toposcope.server.api.parameters.importance import ImportanceReply


def request_importance(client: httpx.Client, metric: str, **query: Any) -> dict[str, Any]:
    """Return the reply for a metric."""
    reply = client.get("api/importance", params={"metric": metric, **query}).raise_for_status().json()
    ImportanceReply.model_validate(reply, extra="forbid")
    return reply


def record_run(folder: Path, rate: float, optimizer: str, loss: float, accuracy: float | None = None) -> None:
    """Record a run whose last loss depends on its learning rate."""
    with SummaryRecord(str(folder)) as record:
        record.add_value("train_lineage", "train", train_lineage(learning_rate=rate, optimizer=optimizer, epoch=3))
        record.add_value("custom_lineage_data", "custom", custom_lineage({"warmup": rate * 1000, "note": str(folder)}))
        if accuracy is not None:
            record.add_value("eval_lineage", "eval", eval_lineage({"accuracy": accuracy}))
        for step, value in enumerate((5.0, loss)):
            record.add_value("scalar", "loss", value)
            record.record(step)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a logdir of twelve runs, one of which diverged, and a run without hyperparameters."""
    logdir = tmp_path_factory.mktemp("sweep")
    for number in range(12):
        rate = 10 ** (-1 - number / 3)
        loss = math.nan if number == 5 else -math.log10(rate)
        record_run(logdir / f"run{number}", rate, ("sgd", "adam")[number % 2], loss, number / 12)
    loss_run(logdir / "bare", range(3))
    return logdir


def test_last_value_of_a_scalar(sweep: Path, serve: Serve) -> None:
    """The learning rate is most important; the diverged run and the one without hyperparameters are excluded."""
    client = serve(sweep)

    reply = request_importance(client, "loss")

    assert (reply["source"], reply["runs"], reply["left_out"], reply["not_finite"]) == ("scalar", 11, 2, 1)
    assert reply["enough"]
    rows = {row["name"]: row for row in reply["parameters"]}
    assert rows["learning_rate"]["pearson"] == pytest.approx(-1)
    assert (rows["learning_rate"]["scale"], rows["learning_rate"]["spearman"]) == ("log10", pytest.approx(-1))
    assert reply["parameters"][0]["name"] in ("learning_rate", "warmup")
    assert "'warmup'" in rows["learning_rate"]["problem"]
    assert rows["learning_rate"]["importance"] > rows["optimizer"]["importance"]
    assert rows["epoch"]["problem"] == "All runs have the same value."
    assert rows["note"]["problem"].startswith("It has 11 values in 11 runs")
    assert request_importance(client, "loss") == reply
    assert request_importance(client, "loss", seed=1) != reply


def test_metric_of_the_lineage(sweep: Path, serve: Serve) -> None:
    """It is used if no run has such a scalar tag; the source can also be selected."""
    client = serve(sweep)

    reply = request_importance(client, "accuracy")

    assert (reply["source"], reply["runs"], reply["left_out"]) == ("lineage", 12, 0)
    assert {row["name"]: row for row in reply["parameters"]}["learning_rate"]["spearman"] == pytest.approx(-1)
    assert request_importance(client, "accuracy", source="lineage")["parameters"] == reply["parameters"]
    assert client.get("api/importance", params={"metric": "accuracy", "source": "scalar"}).status_code == 404


def test_too_few_runs(sweep: Path, serve: Serve) -> None:
    """The reply states that there are not enough runs."""
    reply = request_importance(serve(sweep), "loss", run=["run0", "run1", "run2", "run3"])

    assert (reply["enough"], reply["runs"], reply["score"]) == (False, 4, None)
    assert reply["problem"] == "4 runs have both the metric and hyperparameters: importance requires at least 10."
    assert all(row["importance"] is None for row in reply["parameters"])


def test_long_lists_are_posted(sweep: Path, serve: Serve) -> None:
    """The reply equals that of GET."""
    client = serve(sweep)
    runs = [f"run{number}" for number in range(11)]

    posted = client.post("api/importance", json={"metric": "loss", "run": runs}).raise_for_status().json()

    assert posted == request_importance(client, "loss", run=runs)
    assert client.post("api/importance", json={"metric": "loss", "seed": "1"}).status_code == 422


def test_unknown_names_are_404(sweep: Path, serve: Serve) -> None:
    """The error contains the run or metric."""
    client = serve(sweep)

    for query, detail in (({"metric": "gone"}, "no metric 'gone'"), ({"metric": "loss", "run": "x"}, "no run 'x'")):
        reply = client.get("api/importance", params=query)
        assert (reply.status_code, reply.json()["detail"]) == (404, detail)


def test_hyperparameters_of_tensorboard(serve: Serve) -> None:
    """Sessions in subdirectories belong to their runs."""
    reply = request_importance(serve(GOLDEN), "hparam/accuracy")

    assert (reply["source"], reply["runs"], reply["enough"]) == ("lineage", 2, False)
    rows = {row["name"]: (row["kind"], row["distinct"], row["missing"]) for row in reply["parameters"]}
    assert rows == {"lr": ("number", 2, 0), "batch": ("number", 1, 0), "opt": ("category", 1, 0)}


def test_metric_of_mindspore(serve: Serve) -> None:
    """The metric was recorded by its evaluation."""
    reply = request_importance(serve(GOLDEN), "accuracy", source="lineage", run="mindspore/digits_momentum")

    assert (reply["runs"], reply["problem"]) == (
        1,
        "1 run has both the metric and hyperparameters: importance requires at least 10.",
    )


def test_other_requests_are_answered_meanwhile(tmp_path: Path, serve: Serve) -> None:
    """Fitting a forest does not delay other requests."""
    random = np.random.default_rng(0)
    for number in range(200):
        rate = float(10 ** random.uniform(-5, -1))
        with SummaryRecord(str(tmp_path / f"run{number}")) as record:
            parameters = {f"p{place}": float(random.normal()) for place in range(30)}
            record.add_value("custom_lineage_data", "custom", custom_lineage({"rate": rate, **parameters}))
            record.add_value("scalar", "loss", math.log10(rate) + float(random.normal(0, 0.1)))
            record.record(1)
    client = serve(tmp_path)
    url, replies = str(client.base_url), []
    asking = [
        threading.Thread(
            target=lambda seed: replies.append(httpx.get(f"{url}api/importance?metric=loss&seed={seed}", timeout=60)),
            args=(seed,),
        )
        for seed in range(2)
    ]
    for thread in asking:
        thread.start()
    slowest = 0.0
    while any(thread.is_alive() for thread in asking):
        began = time.monotonic()
        client.get("api/health").raise_for_status()
        slowest = max(slowest, time.monotonic() - began)
    for thread in asking:
        thread.join()
    assert [reply.status_code for reply in replies] == [200] * len(asking)
    assert all(reply.json()["parameters"][0]["name"] == "rate" for reply in replies)
    assert slowest < 2
