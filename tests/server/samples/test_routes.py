"""The routes of samples, on texts of our writer and of TensorBoard's, and on hostile ones."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.servers import Serve

from toposcope.recorder import SummaryRecord, SummaryWriter
from toposcope.server.samples.routes import SamplesReply

ROWS: list[dict[str, Any]] = [
    {"prompt": "2 + 2?", "completion": "four", "reward": 0.5},
    {"prompt": "2 + 2?", "completion": "4", "reward": 1},
    {"prompt": "Größe?", "completion": "<b>big</b>", "note": {"a": [1]}},
]


def lines(rows: list[Any]) -> str:
    """Return JSON lines."""
    return "\n".join(json.dumps(row) for row in rows)


def record(folder: Path, *texts: str, tag: str = "samples") -> None:
    """Record texts at the steps 0, 1, 2, ..."""
    with SummaryRecord(str(folder)) as recorder:
        for step, text in enumerate(texts):
            recorder.add_value("text", tag, text)
            recorder.record(step)


def samples(client: httpx.Client, route: str = "samples", **query: Any) -> dict[str, Any]:
    """Return the reply for the run "run"."""
    asked = {"run": "run", "tag": "samples", "step": 0, **query}
    reply: dict[str, Any] = client.get(f"api/{route}", params=asked).raise_for_status().json()
    SamplesReply.model_validate(reply, extra="forbid")
    return reply


def cells(reply: dict[str, Any]) -> list[Any]:
    """Return the cells of each row."""
    return [row["cells"] for row in reply["rows"]]


@pytest.mark.parametrize(
    "text", [lines(ROWS), "\n" + lines(ROWS) + "\r\n\n", json.dumps(ROWS), json.dumps(ROWS, indent=2)]
)
def test_json_lines_and_arrays_are_tables(tmp_path: Path, serve: Serve, text: str) -> None:
    record(tmp_path / "run", text)

    reply = samples(serve(tmp_path))

    assert reply["columns"] == ["prompt", "completion", "reward", "note"]
    assert (reply["is_samples"], reply["total"], reply["found"], reply["damaged"]) == (True, 3, 3, 0)
    assert cells(reply) == [
        ["2 + 2?", "four", 0.5, None],
        ["2 + 2?", "4", 1, None],
        ["Größe?", "<b>big</b>", None, '{"a": [1]}'],
    ]


@pytest.mark.parametrize(
    "text", ["# Title", "{broken", '{\n "lr": 1\n}', "[1, 2]", "[]", "{}", "", '{"a": 1} and more']
)
def test_other_texts_are_no_samples(tmp_path: Path, serve: Serve, text: str) -> None:
    record(tmp_path / "run", text or " ")

    reply = samples(serve(tmp_path))

    assert (reply["is_samples"], reply["columns"], reply["rows"]) == (False, [], [])


def test_texts_of_tensorboard_are_read(tmp_path: Path, serve: Serve) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_text("samples", lines(ROWS), 0)
    (tag,) = (each["tag"] for each in serve(tmp_path).get("api/tags?plugin=text").json()["tags"])

    assert samples(serve(tmp_path), tag=tag)["total"] == 3


def test_rows_are_searched_sorted_and_listed_by_page(tmp_path: Path, serve: Serve) -> None:
    record(
        tmp_path / "run", lines([{"text": f"Answer {number}", "reward": (number * 7) % 100} for number in range(100)])
    )
    client = serve(tmp_path)

    top = samples(client, sort="reward", descending=True, limit=3, offset=1)
    found = samples(client, search="ANSWER 9", sort="text")

    assert [row[1] for row in cells(top)] == [98, 97, 96]
    assert (top["total"], top["found"]) == (100, 100)
    assert found["found"] == 11
    assert cells(found)[0] == ["Answer 9", 63]


def test_numbers_are_before_texts_and_empty_cells_last(tmp_path: Path, serve: Serve) -> None:
    record(tmp_path / "run", '{"a": null}\n{"a": "x"}\n{"a": 2}\n{"a": NaN}\n{"a": true}\n{"b": 1}')
    client = serve(tmp_path)

    assert [row[0] for row in cells(samples(client, sort="a"))] == [True, 2, "NaN", "x", None, None]
    assert [row[0] for row in cells(samples(client, sort="a", descending=True))] == [2, True, "x", "NaN", None, None]


def test_conversations_are_turns(tmp_path: Path, serve: Serve) -> None:
    """In OpenAI's form, with parts and calls of tools, and in ShareGPT's."""
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": "x"}]
    rows: list[Any] = [
        {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": None, "tool_calls": [1]}]},
        {"messages": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
        {"messages": ["no", "turns"]},
    ]
    record(tmp_path / "run", lines(rows))

    assert [cell for (cell,) in cells(samples(serve(tmp_path)))] == [
        [
            {"role": "user", "text": 'Look:\n{"type": "image_url", "image_url": "x"}'},
            {"role": "assistant", "text": "[1]"},
        ],
        [{"role": "human", "text": "Hi"}, {"role": "gpt", "text": "Hello"}],
        '["no", "turns"]',
    ]


def test_a_key_finds_the_sample_of_the_same_prompt_at_another_step(tmp_path: Path, serve: Serve) -> None:
    """Of several samples of a prompt it is the n-th; answers do not count as part of a conversation."""
    user = {"role": "user", "content": "Hi"}
    talk = [{"messages": [user, {"role": "assistant", "content": text}]} for text in ("first", "second")]
    record(
        tmp_path / "run", lines(ROWS), lines([ROWS[2], ROWS[0] | {"completion": "x"}, ROWS[1] | {"completion": "y"}])
    )
    record(tmp_path / "talk", *(lines([each]) for each in talk), lines([{"other": 1}]))
    client = serve(tmp_path)
    second = samples(client)["rows"][1]
    turn = samples(client, run="talk")["rows"][0]

    same = samples(client, "samples/sample", step=1, key=second["key"])
    answer = samples(client, "samples/sample", run="talk", step=1, key=turn["key"])

    assert (same["rows"][0]["row"], cells(same)[0][1]) == (2, "y")
    assert cells(answer)[0][0][-1]["text"] == "second"
    assert samples(client, "samples/sample", run="talk", step=2, key=turn["key"])["rows"] == []


def test_long_cells_are_cut_in_lists_and_whole_in_a_sample(tmp_path: Path, serve: Serve) -> None:
    turns = [{"role": "user", "content": "word " * 1000}] * 3
    record(tmp_path / "run", lines([{"prompt": "word " * 1000, "messages": turns}, {"prompt": "short"}]))
    client = serve(tmp_path)

    long, short = samples(client)["rows"]
    (whole,) = samples(client, "samples/sample", key=long["key"])["rows"]

    assert (len(long["cells"][0]), long["is_cut"], short["is_cut"]) == (1000, True, False)
    assert (len(whole["cells"][0]), whole["is_cut"]) == (5000, False)
    assert [len(turn["text"]) for turn in whole["cells"][1]] == [5000] * 3


@pytest.mark.parametrize("form", ["lines", "array"])
def test_torn_and_foreign_lines_are_counted(tmp_path: Path, serve: Serve, form: str) -> None:
    text = '{"a": 1}\n[1]\n{"a": 2}\n{"a": "to' if form == "lines" else '[{"a": 1}, 5, {"a": 2}, {"a": "to'
    record(tmp_path / "run", text)

    reply = samples(serve(tmp_path))

    assert (reply["total"], reply["damaged"], reply["damaged_lines"]) == (2, 2, [2, 4])


def test_hostile_objects_are_bounded(tmp_path: Path, serve: Serve) -> None:
    """Many keys, deep nesting, huge integers, lone surrogates."""
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    nested = '{"a": ' + "[" * 900 + "]" * 900 + "}"
    wide = json.dumps({"a": 1} | {f"key {number}": number for number in range(100_000)})
    odd = '{"a": ' + str(2**60) + ', "key 0": "\\ud800", "key 1": ' + "9" * 5000 + "}\n" + '{"a": "\\ud800"}'
    record(tmp_path / "run", "\n".join(['{"a": 0}', deep, nested, wide, odd]))

    reply = samples(serve(tmp_path))

    assert len(reply["columns"]) == 100
    assert reply["left_out_columns"] == 100_001 - 100
    assert reply["damaged_lines"] in ([2, 5], [2, 3, 5])
    assert cells(reply)[0][:2] == [0, None]


def test_large_replies_end_early(tmp_path: Path, serve: Serve) -> None:
    """They have fewer rows than were requested."""
    wide = {f"c{number}": "x" * 1000 for number in range(100)}
    record(tmp_path / "run", lines([wide] * 200))

    assert 1 <= len(samples(serve(tmp_path), limit=200)["rows"]) < 100


def test_too_large_texts_are_refused(tmp_path: Path, serve: Serve) -> None:
    record(tmp_path / "run", '{"a": 1}\n' * ((64 << 20) // 9 + 1))

    reply = serve(tmp_path).get("api/samples", params={"run": "run", "tag": "samples", "step": 0})

    assert (reply.status_code, "expected at most 67108864" in reply.json()["detail"]) == (422, True)


@pytest.mark.parametrize("wrong", [{"step": 5}, {"tag": "other"}, {"run": "other"}])
def test_what_is_not_there_is_not_found(tmp_path: Path, serve: Serve, wrong: dict[str, Any]) -> None:
    record(tmp_path / "run", lines(ROWS))

    asked = {"run": "run", "tag": "samples", "step": 0, **wrong}

    assert serve(tmp_path).get("api/samples", params=asked).status_code == 404
