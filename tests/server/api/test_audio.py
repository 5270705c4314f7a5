"""GET /api/audio and /api/audio/data."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.server_in_process import served
from support.servers import Serve, wait_until
from support.summary_values import of_plugin, strings, tensorboard_run

from toposcope.recorder import SummaryWriter
from toposcope.recorder.tensorboard.kinds.audio import wav_of
from toposcope.server.api.payloads.audio import AudioClips

WRITTEN_BY_TORCH = Path(__file__).parent / "tensorboard_media"
"""A run that torch.utils.tensorboard wrote, and what TensorBoard 2.21 answered about it."""


@pytest.fixture(scope="module")
def torch_run() -> Iterator[httpx.Client]:
    """Serve it."""
    with served(WRITTEN_BY_TORCH) as client:
        yield client


def list_clips(client: httpx.Client, run: str, tag: str) -> list[dict[str, Any]]:
    """Return the audio clips of a tag."""
    reply = client.get("api/audio", params={"run": run, "tag": tag}).raise_for_status().json()
    AudioClips.model_validate(reply, extra="forbid")
    assert reply["damaged"] == 0
    return reply["clips"]


def test_clips_equal_those_of_tensorboard(torch_run: httpx.Client) -> None:
    """Steps, labels, types and bytes; the length and the sample rate are those that were recorded."""
    expected = json.loads((WRITTEN_BY_TORCH / "expected.json").read_text())["audio"]["voice/sine"]

    clips = list_clips(torch_run, "run", "voice/sine")
    contents = [torch_run.get(clip["url"]).raise_for_status() for clip in clips]

    assert [
        {name: clip[name] for name in ("step", "label", "media_type")}
        | {"sha256": hashlib.sha256(reply.content).hexdigest()}
        for clip, reply in zip(clips, contents, strict=True)
    ] == expected
    assert [(clip["sample_rate"], clip["channels"], clip["frames"]) for clip in clips] == [(8000, 1, 800)] * 3
    assert {reply.headers["content-type"] for reply in contents} == {"audio/wav"}
    assert {reply.headers["x-content-type-options"] for reply in contents} == {"nosniff"}
    assert [len(reply.content) for reply in contents] == [clip["bytes"] for clip in clips]


def test_parts_of_a_clip(torch_run: httpx.Client) -> None:
    """Players request parts to seek; a range that is malformed or of another clip is ignored."""
    clip = list_clips(torch_run, "run", "voice/sine")[0]
    whole = torch_run.get(clip["url"])
    size = clip["bytes"]

    def part(requested: str, **headers: str) -> httpx.Response:
        return torch_run.get(clip["url"], headers={"Range": requested, **headers})

    for requested, start_of_part, end in (
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, size),
        ("bytes=-10", size - 10, size),
        (f"bytes=0-{size * 2}", 0, size),
        (f"bytes=-{size * 2}", 0, size),
    ):
        reply = part(requested)
        assert (reply.status_code, reply.content) == (206, whole.content[start_of_part:end]), requested
        assert reply.headers["content-range"] == f"bytes {start_of_part}-{end - 1}/{size}"
        assert reply.headers["content-type"] == "audio/wav"
    for requested in ("bytes=0-1,5-6", "bytes=-", "bytes=a-b", "lines=1-2", f"bytes=0-{'9' * 40}"):
        assert (part(requested).status_code, part(requested).content) == (200, whole.content), requested
    for requested in (f"bytes={size}-", "bytes=9-5", "bytes=-0"):
        assert part(requested).status_code == 416, requested
        assert part(requested).headers["content-range"] == f"bytes */{size}"
    assert part("bytes=0-9", **{"If-Range": whole.headers["etag"]}).status_code == 206
    assert part("bytes=0-9", **{"If-Range": '"another"'}).status_code == 200
    assert whole.headers["accept-ranges"] == "bytes"
    assert torch_run.get(clip["url"], headers={"If-None-Match": whole.headers["etag"]}).status_code == 304


def test_clips_of_our_writer(tmp_path: Path, serve: Serve) -> None:
    """Stereo, and a tag with any characters."""
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_audio("ä/<b>", np.zeros((50, 2)), 4, sample_rate=16000)
    client = serve(tmp_path)
    wait_until(lambda: not client.get("api/health").json()["loading"])

    (clip,) = list_clips(client, "run", "ä/<b>")

    assert [clip[name] for name in ("step", "sample_rate", "channels", "frames")] == [4, 16000, 2, 50]
    assert client.get(clip["url"]).content == wav_of(np.zeros((50, 2)), 16000)


def test_value_with_several_labelled_clips(tmp_path: Path, serve: Serve) -> None:
    """As TensorFlow writes them; what no browser plays safely is an attachment."""
    wav = wav_of(np.zeros(3), 8000)
    tensor = strings(wav, b"*one*", b"<script>", b"", dims=[2, 2])
    tensorboard_run(tmp_path / "run", [(1, of_plugin("audio", "pair", tensor))])
    client = serve(tmp_path)
    wait_until(lambda: not client.get("api/health").json()["loading"])

    first, second = list_clips(client, "run", "pair")
    unknown = client.get(second["url"])

    assert [first[name] for name in ("index", "label", "frames")] == [0, "*one*", 3]
    assert [second[name] for name in ("index", "label", "frames")] == [1, "", None]
    assert unknown.headers["content-type"] == second["media_type"] == "application/octet-stream"
    assert unknown.headers["content-disposition"] == "attachment"
    assert client.get(second["url"].replace("index=1", "index=2")).status_code == 404
    assert client.get(second["url"].replace("record=", "record=1")).status_code == 404
