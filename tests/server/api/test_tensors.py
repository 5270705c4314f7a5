"""GET /api/tensors and /api/tensors/data."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import ml_dtypes
import numpy as np
import pytest
from support.event_files import GOLDEN, write_run
from support.server_in_process import served
from support.servers import Serve, wait_until
from support.summary_values import MindSporeValue, of_plugin, record, strings, tensorboard_run, tensorboard_tensor

from toposcope.proto.tensor_pb2 import DT_FLOAT32, TensorProto
from toposcope.recorder import SummaryRecord
from toposcope.server.api.payloads.tensors import MAX_ELEMENTS, TensorData, Tensors

MINDSPORE = "mindspore/digits_momentum"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a run of tensors recorded by Toposcope."""
    logdir = tmp_path_factory.mktemp("logdir")
    with SummaryRecord(logdir) as recorder:
        for tag, value in TENSORS.items():
            recorder.add_value("tensor", tag, value)
        recorder.record(1)
    with served(logdir) as client:
        yield client


TENSORS: dict[str, Any] = {
    "float32": np.array([[0.1, np.nan], [np.inf, -np.inf]], np.float32),
    "float16": np.array([0.1, 65504], np.float16),
    "float64": np.array([0.1, 1e300]),
    "int64": np.array([2**63 - 1, -(2**63)]),
    "uint64": np.array([2**64 - 1], np.uint64),
    "bool": np.array([[True], [False]]),
    "complex64": np.array([1 + 2j, complex(np.nan, 0)], np.complex64),
    "bfloat16": np.array([0.1, 3], ml_dtypes.bfloat16),
    "cube": np.arange(60, dtype=np.int32).reshape(3, 4, 5),
    "empty": np.empty((2, 0), np.float32),
    "a/b %\r\n": np.zeros((1001, 1000), np.float32),
}


def request_tensors(client: httpx.Client, run: str, tag: str, **query: Any) -> list[dict[str, Any]]:
    """Return the tensors of a tag."""
    reply = client.get("api/tensors", params={"run": run, "tag": tag} | query).raise_for_status().json()
    Tensors.model_validate(reply, extra="forbid")
    assert reply["damaged"] == 0
    return reply["tensors"]


def read(client: httpx.Client, tag: str, run: str = ".", **query: Any) -> dict[str, Any]:
    """Return a part of a tensor."""
    reply = client.get("api/tensors/data", params={"run": run, "tag": tag} | query).raise_for_status().json()
    TensorData.model_validate(reply, extra="forbid")
    return reply


def npy(client: httpx.Client, tag: str, run: str = ".", **query: Any) -> tuple[np.ndarray[Any, Any], httpx.Headers]:
    """Return a tensor as an array, and the headers of the reply."""
    query = {"run": run, "tag": tag, "format": "npy"} | query
    reply = client.get("api/tensors/data", params=query, headers={"Accept-Encoding": "identity"}).raise_for_status()
    assert int(reply.headers["content-length"]) == len(reply.content)
    return np.load(io.BytesIO(reply.content), allow_pickle=False), reply.headers


def test_tensors_of_mindspore_equal_those_of_its_reader(golden: httpx.Client) -> None:
    """Dims, dtype and the sum of elements, at every step."""
    expected = json.loads((GOLDEN / MINDSPORE / "expected.json").read_text())["tensor"]["logits"]

    tensors = request_tensors(golden, MINDSPORE, "logits", attempt="all")

    assert [(each["step"], each["dims"], each["dtype"]) for each in tensors] == [
        (step, dims, "float32") for step, dims, _, _ in expected
    ]
    assert [each["mean"] * each["count"] for each in tensors] == pytest.approx([total for _, _, _, total in expected])


@pytest.mark.parametrize("path", sorted((GOLDEN / MINDSPORE).glob("export_*/tensor/*.npy")), ids=lambda path: path.stem)
def test_arrays_equal_those_exported_by_mindinsight(golden: httpx.Client, path: Path) -> None:
    """Every exported tensor is equal bit for bit."""
    exported = np.load(path)

    array, _ = npy(golden, "logits", MINDSPORE, step=int(path.stem.rpartition("_")[2]))

    assert (array.dtype, array.tobytes()) == (exported.dtype, exported.tobytes())


def test_statistics_are_over_the_finite_elements(recorded: httpx.Client) -> None:
    """Others are counted; integers are exact; statistics of complex numbers are of their magnitudes."""
    stated = {
        tag: request_tensors(recorded, ".", tag)[0]
        for tag in ("float32", "int64", "uint64", "bool", "complex64", "empty")
    }
    rows = {tag: [each[name] for name in ("dtype", "dims", "min", "max", "mean")] for tag, each in stated.items()}
    tenth = float(np.float32(0.1))

    assert rows == {
        "float32": ["float32", [2, 2], tenth, tenth, tenth],
        "int64": ["int64", [2], -(2**63), 2**63 - 1, 0.0],
        "uint64": ["uint64", [1], 2**64 - 1, 2**64 - 1, 2.0**64],
        "bool": ["bool", [2, 1], 0, 1, 0.5],
        "complex64": [
            "complex64",
            [2],
            float(np.float32(5**0.5)),
            float(np.float32(5**0.5)),
            float(np.float32(5**0.5)),
        ],
        "empty": ["float32", [2, 0], None, None, None],
    }
    counts = [stated["float32"][name] for name in ("count", "nan_count", "pos_inf_count", "neg_inf_count")]
    assert counts == [4, 1, 1, 1]


@pytest.mark.parametrize("tag", [tag for tag in TENSORS if tag != "bfloat16"])
def test_arrays_are_exact(recorded: httpx.Client, tag: str) -> None:
    """An .npy file has the dtype, dims and bits of an array of any size."""
    array, headers = npy(recorded, tag)

    assert (array.dtype, array.shape) == (TENSORS[tag].dtype, TENSORS[tag].shape)
    assert array.tobytes() == TENSORS[tag].tobytes()
    assert headers["toposcope-dtype"] == str(TENSORS[tag].dtype)
    assert headers["content-type"] == "application/octet-stream"


def test_file_name_of_the_array_is_safe(recorded: httpx.Client) -> None:
    """For any tag."""
    _, headers = npy(recorded, "a/b %\r\n")

    assert headers["content-disposition"] == 'attachment; filename="a_b__1.npy"'


def test_bfloat16_is_converted_to_float32(recorded: httpx.Client) -> None:
    """NumPy has no bfloat16; the header has the original data type."""
    array, headers = npy(recorded, "bfloat16")

    assert (array.dtype, headers["toposcope-dtype"]) == (np.float32, "bfloat16")
    np.testing.assert_array_equal(array, TENSORS["bfloat16"].astype(np.float32))
    assert read(recorded, "bfloat16")["dtype"] == "bfloat16"


def test_elements_are_exact_in_json(recorded: httpx.Client) -> None:
    """Floats are doubles, non-finite numbers strings, complex numbers pairs."""
    data = {tag: read(recorded, tag)["data"] for tag in TENSORS if tag != "a/b %\r\n"}

    assert data["float32"] == [[float(np.float32(0.1)), "NaN"], ["Infinity", "-Infinity"]]
    assert data["float16"] == [float(np.float16(0.1)), 65504]
    assert data["float64"] == [0.1, 1e300]
    assert data["int64"] == [2**63 - 1, -(2**63)]
    assert data["uint64"] == [2**64 - 1]
    assert data["bool"] == [[True], [False]]
    assert data["complex64"] == [[1, 2], ["NaN", 0]]
    assert data["empty"] == [[], []]


@pytest.mark.parametrize("text", ["[0,:,1:5]", "1", "[-1, ::-2]", "[..., 0]", "[0,0,0]", "[:0]", "[2,...,1:3]"])
def test_slices_equal_those_of_numpy(recorded: httpx.Client, text: str) -> None:
    """A part has its dims, in JSON and as an array."""
    part = eval(f"cube[{text.strip('[]')}]", {"cube": TENSORS["cube"]})

    reply = read(recorded, "cube", slice=text)
    array, _ = npy(recorded, "cube", slice=text)

    assert (reply["data"], reply["dims"], reply["tensor_dims"]) == (part.tolist(), list(part.shape), [3, 4, 5])
    np.testing.assert_array_equal(array, part)
    assert array.shape == part.shape


def test_too_many_elements_for_json_are_an_error(recorded: httpx.Client) -> None:
    """The error has the number of elements and the alternatives; a slice is served."""
    query = {"run": ".", "tag": "a/b %\r\n"}

    refused = recorded.get("api/tensors/data", params=query)

    assert refused.status_code == 422
    for part_of_error in ("1001000 elements", "[1001, 1000]", str(MAX_ELEMENTS), "format=npy"):
        assert part_of_error in refused.json()["detail"]
    assert read(recorded, "a/b %\r\n", slice="[:1000]")["dims"] == [1000, 1000]


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("slice=[9]", 422, "slice='[9]': part 1 is 9"),
        ("slice=[a]", 422, "instead of 'a'"),
        ("format=csv", 422, "format='csv'"),
        ("step=7", 404, "no tensor of tag 'cube' in run '.' with step=7"),
        ("wall_time=1.5&rank=3", 404, "with wall_time=1.5, rank=3"),
        ("step=9223372036854775808", 422, "step='9223372036854775808'"),
    ],
)
def test_errors_contain_the_invalid_value(recorded: httpx.Client, query: str, status: int, error: str) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = recorded.get(f"api/tensors/data?run=.&tag=cube&{query}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def test_newest_point_of_a_step_is_read(tmp_path: Path, serve: Serve) -> None:
    """Others are selected by wall_time or attempt; the default is the last step."""
    values = [(10, 1, 1.0), (11, 2, 2.0), (12, 2, 3.0)]
    write_run(tmp_path, [_tensor_record(*value) for value in values], seconds=9)
    write_run(tmp_path, [_tensor_record(21, 2, 4.0), _tensor_record(22, 1, 5.0)], seconds=20)
    client = serve(tmp_path)

    assert read(client, "x", step=2)["data"] == [4]
    assert read(client, "x", step=2, attempt=1)["data"] == [3]
    assert read(client, "x", step=2, attempt=1, wall_time=11)["data"] == [2]
    assert read(client, "x", wall_time=21)["data"] == [4]
    assert read(client, "x", attempt=1)["step"] == 2
    assert read(client, "x", attempt="all")["data"] == [5]


def _tensor_record(wall_time: float, step: int, number: float) -> bytes:
    tensor = TensorProto(dims=[1], data_type=DT_FLOAT32, float_data=[number])
    return record(wall_time, step, MindSporeValue(tag="x", tensor=tensor))


def test_tensors_of_tensorboard_are_read(tmp_path: Path, serve: Serve) -> None:
    """Strings are listed with their dims, and reading their elements is an error."""
    tensors = {
        "numbers": tensorboard_tensor(19, [2], half_val=[0x3C00, 0x7C00]),
        "strings": strings(b"a", b"b", dims=[2, 1]),
    }
    tensorboard_run(tmp_path, [(3, of_plugin("", tag, tensor)) for tag, tensor in tensors.items()])
    client = serve(tmp_path)

    (numbers,), (texts,) = (request_tensors(client, ".", tag) for tag in tensors)
    refused = client.get("api/tensors/data", params={"run": ".", "tag": "strings"})

    assert (numbers["dtype"], numbers["max"], numbers["pos_inf_count"]) == ("float16", 1, 1)
    assert read(client, "numbers", step=3)["data"] == [1, "Infinity"]
    assert (texts["dtype"], texts["dims"], texts["count"], texts["min"]) == ("string", [2, 1], 0, None)
    assert (refused.status_code, "dtype string: expected numbers" in refused.json()["detail"]) == (422, True)


def test_malformed_tensor_is_410_with_the_reason(tmp_path: Path, serve: Serve) -> None:
    """The list omits and counts it."""
    malformed = MindSporeValue(tag="x", tensor=TensorProto(dims=[3], data_type=DT_FLOAT32, float_data=[1]))
    write_run(tmp_path, [_tensor_record(2, 1, 1.0), record(3, 2, malformed)])
    client = serve(tmp_path)

    reply = client.get("api/tensors", params={"run": ".", "tag": "x"}).json()
    gone = client.get("api/tensors/data", params={"run": ".", "tag": "x", "step": 2})

    assert ([each["step"] for each in reply["tensors"]], reply["total"], reply["damaged"]) == ([1], 2, 1)
    assert gone.status_code == 410
    assert "1 elements of float32 do not match the dims [3]" in gone.json()["detail"]


@pytest.mark.parametrize("form", ["npy", "json"])
def test_tensors_have_etags(tmp_path: Path, serve: Serve, form: str) -> None:
    """The reply is 304 until there is a newer tensor; arrays are not compressed."""
    query = {"run": ".", "tag": "t", "format": form}
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("tensor", "t", np.zeros(5000, np.float32))
        recorder.record(1)
        recorder.flush()
        client = serve(tmp_path, "--reload-interval", "0.1")
        first = client.get("api/tensors/data", params=query)
        known = {"If-None-Match": first.headers["etag"]}
        again = client.get("api/tensors/data", params=query, headers=known)
        recorder.add_value("tensor", "t", np.ones(5000, np.float32))
        recorder.record(1)
        recorder.flush()
        newer = wait_until(
            lambda: (got := client.get("api/tensors/data", params=query, headers=known)).status_code == 200 and got
        )

    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert newer.content != first.content
    assert newer.headers["etag"] != first.headers["etag"]
    assert first.headers.get("content-encoding") == ("zstd" if form == "json" else None)
