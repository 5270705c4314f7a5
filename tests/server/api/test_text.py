"""GET /api/text."""

from pathlib import Path

import httpx
from support.event_files import write_run
from support.servers import Serve
from support.summary_values import MindSporeValue, of_plugin, record, strings, tensorboard_run

from toposcope.server.api.payloads.text import Texts


def request_texts(client: httpx.Client, run: str, tag: str) -> list[dict[str, object]]:
    """Return the texts of a tag."""
    reply = client.get("api/text", params={"run": run, "tag": tag}).raise_for_status().json()
    Texts.model_validate(reply, extra="forbid")
    assert (reply["run"], reply["tag"], reply["damaged"]) == (run, tag, 0)
    return reply["texts"]


def test_golden_texts_equal_those_recorded(golden: httpx.Client) -> None:
    """Keras records a scalar text, tensorboardX a list of one; neither is a table."""
    keras = request_texts(golden, "tensorboard/keras/custom", "words")
    tensorboardx = request_texts(golden, "tensorboard/tensorboardx/lr_0.1", "note/text_summary")

    assert [(text["step"], text["text"], text["dims"], text["texts"]) for text in keras] == [
        (step, f"step {step}", [], []) for step in range(20)
    ]
    assert [(text["step"], text["text"], text["dims"], text["texts"]) for text in tensorboardx] == [
        (step, f"step **{step}** <script>alert(1)</script>", [1], []) for step in (0, 50, 100, 150)
    ]


def test_recorded_texts_are_returned(tmp_path: Path, serve: Serve) -> None:
    """With step, time and text in any language."""
    write_run(tmp_path, [record(2.5, 7, MindSporeValue(tag="note", text="损失 **0.5**"))])

    assert request_texts(serve(tmp_path), ".", "note") == [
        {"step": 7, "wall_time": 2.5, "text": "损失 **0.5**", "dims": [], "texts": []}
    ]


def test_tables_have_dims(tmp_path: Path, serve: Serve) -> None:
    """Cells are in row-major order, and also joined by line breaks; invalid UTF-8 is replaced."""
    cells = (b"lr", b"loss", b"0.1", b"\xff")
    tensorboard_run(tmp_path, [(3, of_plugin("text", "table", strings(*cells, dims=[2, 2])))])

    (table,) = request_texts(serve(tmp_path), ".", "table")

    assert (table["dims"], table["texts"]) == ([2, 2], ["lr", "loss", "0.1", "\ufffd"])
    assert table["text"] == "lr\nloss\n0.1\n\ufffd"


def test_too_much_text_for_a_reply_is_an_error(tmp_path: Path, serve: Serve) -> None:
    """The error has the size and a remedy; a smaller window is served."""
    long = MindSporeValue(tag="log", text="x" * (9 << 20))
    write_run(tmp_path, [record(2 + step, step, long) for step in range(4)])
    client = serve(tmp_path)

    refused = client.get("api/text", params={"run": ".", "tag": "log"})
    (served,) = client.get("api/text", params={"run": ".", "tag": "log", "lo": 3}).json()["texts"]

    assert refused.status_code == 422
    assert "4 selected points have 37748736 bytes" in refused.json()["detail"]
    assert len(served["text"]) == 9 << 20


def test_malformed_texts_are_counted(tmp_path: Path, serve: Serve) -> None:
    """A table whose dims do not match is omitted."""
    events = [(1, of_plugin("text", "table", strings(b"a", dims=[7]))), (2, of_plugin("text", "table", strings(b"b")))]
    tensorboard_run(tmp_path, events)

    reply = serve(tmp_path).get("api/text", params={"run": ".", "tag": "table"}).json()

    assert ([text["text"] for text in reply["texts"]], reply["total"], reply["damaged"]) == (["b"], 2, 1)


def test_texts_longer_than_requested_are_not_read(tmp_path: Path, serve: Serve) -> None:
    """Their steps are listed, whatever their total size."""
    texts = ["short", "x" * (20 << 20), "x" * (20 << 20)]
    write_run(
        tmp_path, [record(2 + step, step, MindSporeValue(tag="log", text=text)) for step, text in enumerate(texts)]
    )

    reply = serve(tmp_path).get("api/text", params={"run": ".", "tag": "log", "longest": 100}).json()

    Texts.model_validate(reply, extra="forbid")
    assert [text["text"] for text in reply["texts"]] == ["short", None, None]
