"""GET /api/images and /api/images/data."""

import json
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN, write_run
from support.servers import Serve
from support.summary_values import MindSporeValue, of_plugin, record, strings, tensorboard_run

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder import SummaryRecord
from toposcope.recorder.values.image import image_of
from toposcope.server.api.payloads.images import Images

MINDSPORE = "mindspore/digits_momentum"
PNG = image_of(np.zeros((2, 3), np.uint8), "HW").png


def request_images(client: httpx.Client, run: str, tag: str, **query: Any) -> list[dict[str, Any]]:
    """Return the images of a tag."""
    reply = client.get("api/images", params={"run": run, "tag": tag} | query).raise_for_status().json()
    Images.model_validate(reply, extra="forbid")
    assert reply["damaged"] == 0
    return reply["images"]


def image_value(encoded: bytes, **size: int) -> MindSporeValue:
    """Return a value with an image."""
    return MindSporeValue(tag="input", image=Summary.Image(encoded_image=encoded, **size))


@pytest.mark.parametrize(
    ("tag", "points"), list(json.loads((GOLDEN / MINDSPORE / "expected.json").read_text())["image"].items())
)
def test_images_of_mindspore_are_exact(golden: httpx.Client, tag: str, points: list[list[int]]) -> None:
    """Sizes and lengths equal those of the reference reader."""
    images = request_images(golden, MINDSPORE, tag, attempt="all")
    pictures = [golden.get(image["url"]).raise_for_status() for image in images]

    assert [
        [image["step"], image["height"], image["width"], 3, len(picture.content)]
        for image, picture in zip(images, pictures, strict=True)
    ] == points
    assert {picture.headers["content-type"] for picture in pictures} == {"image/png"}


@pytest.mark.parametrize("run", ["lr_0.1", "lr_0.01"])
def test_images_of_tensorboardx_are_exact(golden: httpx.Client, run: str) -> None:
    """Sizes equal those of TensorBoard."""
    expected = json.loads((GOLDEN / "tensorboard/tensorboardx/expected.json").read_text())[run]["images"]["sample"]

    images = request_images(golden, f"tensorboard/tensorboardx/{run}", "sample")

    assert [[image["step"], image["width"], image["height"]] for image in images] == expected
    assert all(golden.get(image["url"]).content.startswith(b"\x89PNG") for image in images)


def test_value_of_tensorboard_has_several_images(golden: httpx.Client) -> None:
    """Each has a separate URL; the total counts values."""
    query = {"run": "tensorboard/keras/custom", "tag": "pic"}
    reply = golden.get("api/images", params=query).json()

    pictures = {golden.get(image["url"]).content for image in reply["images"]}

    assert reply["total"] == 20
    assert [(image["step"], image["index"]) for image in reply["images"]] == [(k, i) for k in range(20) for i in (0, 1)]
    assert {(image["width"], image["height"]) for image in reply["images"]} == {(8, 8)}
    assert len(pictures) == 40


def test_recorded_image_is_served_below_a_prefix(tmp_path: Path, serve: Serve) -> None:
    """Its URL is relative to the root of the server; names may contain any characters."""
    directory, tag = tmp_path / "a b/ü&c=d", "in#put/100%"
    with SummaryRecord(directory) as recorder:
        recorder.add_value("image", tag, np.zeros((1, 3, 4, 5), np.float32))
        recorder.record(9)
    client = serve(tmp_path, "--path-prefix", "/topo")

    (image,) = request_images(client, "a b/ü&c=d", tag)
    picture = client.get(image["url"])

    assert [image[name] for name in ("step", "index", "width", "height")] == [9, 0, 5, 4]
    assert picture.url.path == "/topo/api/images/data"
    assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")


def test_images_are_cached_by_browsers(tmp_path: Path, serve: Serve) -> None:
    """The content of a URL is immutable, and 304 if the ETag matches."""
    write_run(tmp_path, [record(2, 1, image_value(PNG, width=3, height=2))])
    client = serve(tmp_path)
    (image,) = request_images(client, ".", "input")

    first = client.get(image["url"])
    again = client.get(image["url"], headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    other = client.get(image["url"], headers={"If-None-Match": '"other"'})

    assert first.content == PNG
    assert first.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert again.headers["cache-control"] == first.headers["cache-control"]
    assert other.status_code == 200


def test_images_of_files_with_invalid_utf8_names_are_served(tmp_path: Path, serve: Serve) -> None:
    """The names are escaped in the URL."""
    path = write_run(tmp_path, [record(2, 1, image_value(PNG, width=3, height=2))])
    os.rename(path, os.fsencode(path) + b"_\xff")
    client = serve(tmp_path)

    (image,) = request_images(client, ".", "input")

    assert client.get(image["url"]).content == PNG


def test_images_are_not_compressed(tmp_path: Path, serve: Serve) -> None:
    """They are compressed already."""
    large = image_of(np.zeros((400, 400), np.uint8), "HW").png.ljust(10_000, b"\0")
    write_run(tmp_path, [record(2, 1, image_value(large))])
    client = serve(tmp_path)
    (image,) = request_images(client, ".", "input")

    reply = client.get(image["url"])

    assert (reply.content, "content-encoding" in reply.headers) == (large, False)
    assert int(reply.headers["content-length"]) == len(large)


@pytest.mark.parametrize("content", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html><script>", b"", b"II*\0"])
def test_unsafe_formats_are_attachments(tmp_path: Path, serve: Serve, content: bytes) -> None:
    """The contents of a file never run as a page of the server."""
    write_run(tmp_path, [record(2, 1, image_value(content))])
    client = serve(tmp_path)
    (image,) = request_images(client, ".", "input")

    reply = client.get(image["url"])

    assert (image["width"], image["height"]) == (None, None)
    assert (reply.status_code, reply.content) == (200, content)
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == "attachment"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_only_images_in_the_snapshot_are_served(tmp_path: Path, serve: Serve) -> None:
    """Other offsets, files, tags and runs are 404."""
    path = write_run(tmp_path / "a", [record(2, 1, image_value(PNG), MindSporeValue(tag="loss", scalar_value=1))])
    client = serve(tmp_path)
    (image,) = request_images(client, "a", "input")
    query = {name: values[0] for name, values in parse_qs(urlsplit(image["url"]).query).items()}
    assert client.get("api/images/data", params=query).content == PNG

    for wrong in (
        {"start": int(query["start"]) + 1},
        {"record": 0},
        {"record": 2**63 - 1},
        {"file": "../a/" + path.name},
        {"file": "/etc/passwd"},
        {"tag": "loss"},
        {"run": ".."},
        {"index": 1},
    ):
        assert client.get("api/images/data", params=query | wrong).status_code == 404, wrong
    for malformed in ({"start": -1}, {"record": 2**63}, {"index": "x"}, {"index": 256}, {"typo": 1}):
        assert client.get("api/images/data", params=query | malformed).status_code == 422, malformed


def test_unreadable_image_is_410_with_the_reason(tmp_path: Path, serve: Serve) -> None:
    """If its file was replaced, the URL no longer has the same content."""
    path = write_run(tmp_path, [record(2, 1, image_value(PNG))])
    client = serve(tmp_path, "--reload-interval", "0")
    (image,) = request_images(client, ".", "input")
    shutil.copy(path, tmp_path / "copy")
    os.replace(tmp_path / "copy", path)

    gone = client.get(image["url"])

    assert gone.status_code == 410
    assert "step 1 of run '.'" in gone.json()["detail"]


def test_values_without_images_are_empty_or_damaged(tmp_path: Path, serve: Serve) -> None:
    """A value with only a size has no images; half a size is malformed."""
    sound, bare = strings(b"3", b"2", PNG), strings(b"3", b"2")
    events = [(step, of_plugin("images", "pic", tensor)) for step, tensor in enumerate([sound, bare, strings(b"3")])]
    tensorboard_run(tmp_path, events)
    client = serve(tmp_path)

    reply = client.get("api/images", params={"run": ".", "tag": "pic"}).json()

    assert ([image["step"] for image in reply["images"]], reply["total"], reply["damaged"]) == ([0], 3, 1)
