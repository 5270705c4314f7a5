"""Media, tables, inert names, alerts and watched models of the wandb-shaped front."""

import copy
import io
import json
import pickle
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import plotly.graph_objects as go
import pytest
from PIL import Image as Pillow
from support.pytorch import torch
from support.recorded_run import run_in, scalars_of, tags_of, text_of
from support.server_in_process import served

from toposcope.recorder import wandb


def pixels_of(directory: Path, tag: str) -> Any:
    """Return the pixels of the only image of a tag."""
    ((image,),) = run_in(directory).images(tag)
    return np.asarray(Pillow.open(io.BytesIO(image.encoded)))


def test_images_have_their_pixels(tmp_path: Path) -> None:
    """Of arrays, images of Pillow and files; floats up to 1 are multiplied by 255."""
    array = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    Pillow.fromarray(array).save(tmp_path / "image.png")
    images = {
        "array": wandb.Image(array, caption="a cat"),
        "pillow": wandb.Image(Pillow.fromarray(array)),
        "bare": Pillow.fromarray(array),
        "file": wandb.Image(str(tmp_path / "image.png")),
        "unit": wandb.Image(array / 255),
        "grey": wandb.Image(array[:, :, 0], mode="L"),
    }
    with wandb.init(dir=tmp_path / "runs") as run:
        run.log(images)
        run.log({"list": [wandb.Image(array), wandb.Image(array[:2])]})
    for tag in ("array", "pillow", "bare", "file", "list/0"):
        assert (pixels_of(tmp_path, tag) == array).all()
    assert np.abs(pixels_of(tmp_path, "unit").astype(int) - array).max() <= 1
    assert (pixels_of(tmp_path, "grey") == array[:, :, 0]).all()
    assert pixels_of(tmp_path, "list/1").shape == (2, 5, 3)
    assert text_of(tmp_path, "array/caption") == "a cat"


def test_image_may_be_a_tensor(tmp_path: Path) -> None:
    """Whose first axis is that of the channels."""
    array = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    with wandb.init() as run:
        run.log({"tensor": wandb.Image(torch.tensor(array).permute(2, 0, 1))})
    assert (pixels_of(tmp_path, "tensor") == array).all()


def test_boxes_and_masks_are_recorded_beside_the_image(tmp_path: Path) -> None:
    """Boxes as JSON, masks as images."""
    boxes = {"predictions": {"box_data": [{"position": {"minX": 0.1}}]}}
    image = wandb.Image(np.zeros((4, 4)), boxes=boxes, masks={"truth": {"mask_data": np.eye(4)}})
    with wandb.init() as run:
        run.log({"scene": image})
    assert '"minX": 0.1' in text_of(tmp_path, "scene/boxes")
    assert pixels_of(tmp_path, "scene/masks/truth").shape == (4, 4)


def test_a_figure_of_matplotlib_is_an_image(tmp_path: Path) -> None:
    """The figure itself, in an Image, or the module pyplot."""

    class Figure:
        """What of a figure is used."""

        axes = ()

        def savefig(self, file: Any, format: str) -> None:
            """Write a picture."""
            Pillow.new("RGB", (8, 6), "red").save(file, format)

    with wandb.init() as run:
        run.log({"bare": Figure(), "image": wandb.Image(Figure())})
    assert pixels_of(tmp_path, "bare").shape == pixels_of(tmp_path, "image").shape == (6, 8, 3)


def test_histograms_of_values_and_of_counts(tmp_path: Path) -> None:
    """Also arrays with more than 32 numbers, as in W&B; lists and smaller ones are tensors."""
    values = np.random.default_rng(0).normal(size=1000)
    counts, edges = np.histogram(values, bins=7)
    with wandb.init() as run:
        run.log(
            {
                "values": wandb.Histogram(values.tolist()),
                "counts": wandb.Histogram(np_histogram=(counts, edges)),
                "array": values,
                "few": np.arange(5),
                "list": [1.0, 2.0],
            }
        )
        assert run.summary["list"] == [1.0, 2.0]
    recorded = run_in(tmp_path)
    for tag in ("values", "array"):
        (histogram,) = recorded.histograms(tag)
        assert (histogram.total_count, histogram.min, histogram.max) == (1000, values.min(), values.max())
    (histogram,) = recorded.histograms("counts")
    assert histogram.total_count == 1000
    assert histogram.buckets.counts.tolist() == counts.tolist()
    assert recorded.tensors("few")[0].values.tolist() == [0, 1, 2, 3, 4]


def test_a_table_is_a_text_of_json_lines(tmp_path: Path) -> None:
    """Images in its cells are recorded too."""
    table = wandb.Table(columns=["id", "note"], data=[[0, "a|b"]])
    for number in range(1, 150):
        table.add_data(number, "x, y")
    table.add_column("picture", [wandb.Image(np.full((2, 2), 7, np.uint8)), *[None] * 149])
    assert table.get_column("id", convert_to="numpy").sum() == sum(range(150))
    assert next(table.iterrows())[1][1] == "a|b"
    table.add_data(150, object, None)
    with wandb.init() as run:
        run.log({"predictions": table})
    rows = [json.loads(line) for line in text_of(tmp_path, "predictions").split("\n")]
    assert rows[0] == {"id": 0, "note": "a|b", "picture": "<Image>"}
    assert rows[149] == {"id": 149, "note": "x, y", "picture": None}
    assert rows[150]["note"] == "<class 'object'>"
    assert pixels_of(tmp_path, "predictions/picture/0").tolist() == [[7, 7], [7, 7]]


def test_a_table_takes_a_dataframe() -> None:
    """As data or as dataframe."""
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    for table in (wandb.Table(dataframe=frame), wandb.Table(data=frame)):
        assert (table.columns, table.data) == (["a", "b"], [[1, "x"], [2, "y"]])
        assert table.get_dataframe().equals(frame)


def test_html_objects_and_figures_are_kept_as_files(tmp_path: Path) -> None:
    """HTML is a text too; a figure of Matplotlib is an image, one of Plotly a page."""
    (tmp_path / "water.pdb").write_text("ATOM")
    with wandb.init(dir=tmp_path / "runs") as run:
        run.log(
            {
                "page": wandb.Html("<b>bold</b>"),
                "scene": wandb.Object3D({"type": "lidar/beta", "points": np.zeros((2, 3))}),
                "molecule": wandb.Molecule(str(tmp_path / "water.pdb")),
                "plotly": wandb.Plotly(go.Figure(go.Scatter(x=[1, 2], y=[3, 4]))),
            }
        )
    media = Path(run.dir) / "media"
    assert text_of(tmp_path, "page") == "<b>bold</b>"
    assert json.loads(next((media / "object3D").glob("*.json")).read_text())["points"] == [[0, 0, 0]] * 2
    assert next((media / "molecule").glob("*.pdb")).read_text() == "ATOM"
    assert "plotly" in next((media / "plotly").glob("*.html")).read_text()


@pytest.mark.parametrize(
    ("points", "colours"),
    [
        ([[0, 0, 0], [1, 2, 3]], None),
        ([[0, 0, 0, 1], [1, 2, 3, 14]], [[31, 119, 180], [255, 152, 150]]),
        (np.array([[0, 0, 0, 255, 0, 0], [1, 2, 3, 0, 0, 9]], np.float32), [[255, 0, 0], [0, 0, 9]]),
    ],
    ids=["coordinates", "categories", "colours"],
)
def test_points_are_clouds_on_the_page_of_meshes(tmp_path: Path, points: Any, colours: list[list[int]] | None) -> None:
    """Alone, or as the points of a scene; of categories each has a colour."""
    with wandb.init(dir=tmp_path) as run:
        run.log(
            {"cloud": wandb.Object3D(points, caption="a cube"), "scene": wandb.Object3D({"points": points})}, step=3
        )
    with served(tmp_path) as client:
        (name,) = [each["run"] for each in client.get("api/runs").json()["runs"]]
        for tag in ("cloud", "scene"):
            query = {"run": name, "tag": tag, "step": 3}
            geometry = client.get("api/meshes/geometry", params=query).raise_for_status().json()
            assert np.reshape(geometry["vertices"], (-1, 3)).tolist() == [[0, 0, 0], [1, 2, 3]]
            found = geometry["colours"]
            assert (None if found is None else np.reshape(found, (-1, 3)).tolist()) == colours


@pytest.mark.parametrize("points", [[[0, 0]], [[0, 0, 0, 15]], [[0, 0, 0, 1.5]]])
def test_other_points_are_refused(points: list[list[float]], caplog: pytest.LogCaptureFixture) -> None:
    """The error contains the shape or the category."""
    wandb.Object3D(points)

    assert re.search(r"shape \(1, 2\)|not 15|not 1\.5", caplog.text)


def test_plots_are_tables(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A confusion matrix is drawn; of a plot that is not, a warning says so."""
    matrix = wandb.plot.confusion_matrix(y_true=[0, 1, 1], preds=[0, 1, 0], class_names=["cat", "dog"])
    assert matrix.data == [["cat", "cat", 1], ["dog", "cat", 1], ["dog", "dog", 1]]
    line = wandb.plot.line_series(xs=[0, 1], ys=[[1, 2], [3, 4]], keys=["a", "b"], xname="n")
    assert line.data == [[0, "a", 1], [1, "a", 2], [0, "b", 3], [1, "b", 4]]
    with wandb.init() as run:
        run.log({"matrix": matrix, "lines": line})
    assert '{"actual": "dog", "predicted": "cat", "count": 1}' in text_of(tmp_path, "matrix")
    assert "plot.line_series(): its table is recorded; the plot is not drawn." in caplog.text
    assert "plot.confusion_matrix()" not in caplog.text


INERT = ["login", "save", "log_artifact", "sweep", "agent", "restore", "use_artifact", "Artifact", "Settings", "Api"]


class Unreadable:
    """Its text raises an exception that cannot be created from a message."""

    def __str__(self) -> str:
        raise UnicodeDecodeError("utf-8", b"a", 0, 1, "bad")


def test_value_that_raises_does_not_affect_the_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is reported by its name, whatever its exception is."""
    with wandb.init() as run:
        run.log({"before": 1.0, "bad": Unreadable(), "after": 2.0})
    assert "'bad' is not recorded: UnicodeDecodeError" in caplog.text
    assert (scalars_of(tmp_path, "before"), scalars_of(tmp_path, "after")) == ({0: 1.0}, {0: 2.0})


@pytest.mark.parametrize("name", INERT)
def test_inert_names_warn_once(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """They return an inert object, and raise only with strict=True."""
    for _ in range(2):
        inert = getattr(wandb, name)("argument", key="value")
    assert [record.getMessage().split(":")[:2] for record in caplog.records] == [["wandb", f" wandb.{name}"]]
    with inert.new_file("x") as file:
        file.write("text")
    inert.metadata["a"] = inert.wait().download()
    assert bool(inert) == (name == "login")
    assert list(inert) == []
    assert isinstance(copy.deepcopy(inert), type(wandb.run or inert).__mro__[-2])
    assert pickle.loads(pickle.dumps(inert)) is not None
    with pytest.raises(wandb.UsageError, match=name):
        getattr(wandb, name)(strict=True)


def test_methods_of_a_run_without_effect_warn(caplog: pytest.LogCaptureFixture) -> None:
    """Artifacts, files, integrations and unknown names; a name that W&B does not have is an AttributeError."""
    run = wandb.init(settings=wandb.Settings(), sync_tensorboard=True, save_code=True)
    run.log_artifact(wandb.Artifact("model", type="model")).wait()
    for part in ("run.log_artifact", "init(settings=", "init(sync_tensorboard="):
        assert part in caplog.text
    assert "save_code" not in caplog.text
    assert run.sweep_id is None
    assert not run.settings.mode
    run.no_such_name().anything = 1
    assert "wandb.run.no_such_name: it has no effect here" in caplog.text
    with pytest.raises(AttributeError):
        _ = wandb.no_such_name


def test_an_alert_is_logged_and_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not again within its duration."""
    with wandb.init():
        wandb.alert("Low accuracy", "0.1 is too low", level=wandb.AlertLevel.WARN, wait_duration=timedelta(hours=1))
        wandb.alert("Low accuracy", "again", wait_duration=3600)
    assert "alert WARN: Low accuracy: 0.1 is too low" in caplog.text
    assert "again" not in caplog.text
    (alert,) = run_in(tmp_path).alerts
    assert (alert.title, alert.text, alert.level) == ("Low accuracy", "0.1 is too low", "warn")


def test_watched_models_have_histograms(tmp_path: Path) -> None:
    """Of gradients and parameters, at the steps of the values that are logged with them, until unwatch()."""
    network = torch.nn.Linear(3, 2)
    with wandb.init() as run:
        wandb.watch(network, log="all", log_freq=2)
        for step in range(5):
            if step == 4:
                wandb.unwatch(network)
            loss = network(torch.full((4, 3), 1.0)).sum()
            network.zero_grad()
            loss.backward()
            run.log({"loss": loss})
    recorded = run_in(tmp_path)
    names = [f"{kind}/{name}" for kind in ("gradients", "parameters") for name in ("bias", "weight")]
    assert tags_of(tmp_path, "histogram") == names
    assert recorded.histograms("gradients/weight").step.tolist() == [1, 3]
    (first, _) = recorded.histograms("gradients/weight")
    assert (first.total_count, first.min, first.max) == (6, 4.0, 4.0)
    assert len(scalars_of(tmp_path, "loss")) == 5


def test_lazy_modules_are_watched_once_they_have_shapes(tmp_path: Path) -> None:
    """The first call gives the parameters their shapes."""
    network = torch.nn.Sequential(torch.nn.LazyLinear(2), torch.nn.LazyLinear(1))
    with wandb.init() as run:
        wandb.watch(network, log="all", log_freq=1)
        for _ in range(2):
            loss = network(torch.full((4, 3), 1.0)).sum()
            loss.backward()
            run.log({"loss": loss})
    assert run_in(tmp_path).histograms("gradients/0.weight").step.tolist() == [0, 1]
    assert "parameters/1.bias" in tags_of(tmp_path, "histogram")


def test_watching_something_else_only_warns(caplog: pytest.LogCaptureFixture) -> None:
    """A model of another framework."""
    wandb.init()
    wandb.watch(object())
    assert "modules of PyTorch" in caplog.text


def test_the_graph_of_a_watched_model_is_recorded(tmp_path: Path) -> None:
    """With log_graph=True."""
    network = torch.nn.Linear(3, 2)
    with wandb.init() as run:
        run.watch(network, log=None, log_graph=True)
        network(torch.ones(1, 3))
        run.log({"loss": 1.0})
    assert "graph" in run_in(tmp_path).plugins
