"""An embedding of a million vectors: seconds, bytes and memory of its routes and of the page.

Makes a run with clustered vectors and three columns of metadata, as raw float32 or as text, which a server reads again.
Frames are those of this machine's Chromium, which draws without a GPU where there is none.

embeddings.py [--vectors 1000000] [--dimensions 64] [--text] [--folder FOLDER] [--screenshot FILE]
"""

import argparse
import http.client
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from browsing import chromium, heap_bytes, open_page
from process_stats import cpu_ms, memory
from server_process import Server, serve

_CLUSTERS = 20
_MIB = 1 << 20
_CBOR = "application/cbor"
_DRAWN = "embedding-scatter[data-drawn-points]"
_FRAMES = """async () => {
    const canvas = document.querySelector('embedding-scatter canvas');
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const send = (type, dx) => canvas.dispatchEvent(new WheelEvent(type, {
        clientX: x + dx, clientY: y, deltaY: dx % 2 ? 20 : -20, bubbles: true, cancelable: true }));
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const zoom = async (milliseconds) => {
        const start = performance.now();
        let frames = 0;
        for (; performance.now() - start < milliseconds; frames++) { send('wheel', frames % 7); await frame(); }
        return 1000 * frames / (performance.now() - start);
    };
    await zoom(3000);
    return zoom(3000);
}"""


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--text", action="store_true", help="write the vectors as tab-separated text")
    parser.add_argument("--folder", type=Path, help="where to make the run, or where it is")
    parser.add_argument("--screenshot", type=Path, help="where to save a picture of the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        logdir = (options.folder or Path(temporary)) / ("text" if options.text else "raw")
        if not logdir.exists():
            write_run(logdir / "run", options.vectors, options.dimensions, is_text=options.text)
        with serve(logdir, Path(temporary) / "index", "--data-dir", f"{temporary}/data") as server:
            server.wait_loaded()
            measure_routes(server, options.vectors)
        with serve(logdir, Path(temporary) / "index", "--data-dir", f"{temporary}/data") as server:
            server.wait_loaded()
            measure_page(server, options.screenshot)


def write_run(folder: Path, number: int, dimensions: int, *, is_text: bool) -> None:
    """Write the files of an embedding, as TensorFlow and PyTorch do."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    cluster = random.integers(_CLUSTERS, size=number)
    centres = 3 * random.standard_normal((_CLUSTERS, dimensions), np.float32)
    vectors = random.standard_normal((number, dimensions), np.float32) + centres[cluster]
    shape = f"tensor_shape: {number} tensor_shape: {dimensions}"
    if is_text:
        with (folder / "vectors.tsv").open("w") as file:
            for row in vectors:
                file.write("\t".join(map(repr, row.tolist())) + "\n")
    else:
        vectors.tofile(folder / "vectors.bytes")
    with (folder / "metadata.tsv").open("w") as file:
        file.write("name\tcluster\tlength\n")
        for row, (code, length) in enumerate(zip(cluster, np.linalg.norm(vectors, axis=1), strict=True)):
            file.write(f"vector {row}\tcluster {code}\t{length:.4f}\n")
    path = 'tensor_path: "vectors.tsv"' if is_text else f'tensor_path: "vectors.bytes" {shape}'
    config = f'embeddings {{ tensor_name: "layer:00010" {path} metadata_path: "metadata.tsv" }}\n'
    (folder / "projector_config.pbtxt").write_text(config)


def measure_routes(server: Server, number: int) -> None:
    """Print the seconds, CPU seconds and bytes of each route, and the memory of the server after it."""
    print(f"{number} vectors\n{'route':34} {'s':>7} {'CPU s':>7} {'MB sent':>8} {'MiB now':>8} {'MiB most':>8}")
    report(server, "runs", "runs")
    for title, part, query in (
        ("projection, read and computed", "projection", {"components": 2}),
        ("projection, kept", "projection", {"components": 2}),
        ("3 components", "projection", {"components": 3}),
        ("column of categories", "column", {"column": 1}),
        ("column of numbers", "column", {"column": 2}),
        ("neighbours, cosine", "neighbours", {"row": number // 2}),
        ("neighbours, Euclidean", "neighbours", {"row": number // 2, "metric": "euclidean"}),
        ("search", "search", {"text": "vector 12345"}),
    ):
        report(server, title, f"embeddings/{part}", run="run", name="layer", **query)


def report(server: Server, title: str, route: str, **query: object) -> None:
    """Print the figures of a request."""
    start, cpu = time.perf_counter(), cpu_ms(server.process.pid)
    connection: http.client.HTTPConnection = server.connection
    connection.request("GET", f"/api/{route}?{urlencode(query)}", headers={"Accept": _CBOR})
    reply = connection.getresponse()
    content = reply.read()
    assert reply.status == 200, content[:500]
    seconds, cpu_seconds = time.perf_counter() - start, (cpu_ms(server.process.pid) - cpu) / 1000
    current, most = memory(server.process.pid)
    figures = f"{len(content) / 1e6:8.2f} {current // _MIB:8} {most // _MIB:8}"
    print(f"{title:34} {seconds:7.2f} {cpu_seconds:7.2f} {figures}", flush=True)


def measure_page(server: Server, screenshot: Path | None) -> None:
    """Print when a server that has read nothing of the embedding shows it, what is received, and how it is drawn."""
    with chromium() as browser, open_page(browser, "about:blank") as page:
        received = 0

        def count(event: dict[str, int]) -> None:
            nonlocal received
            received += event["encodedDataLength"]

        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", count)
        start = time.perf_counter()
        page.goto(f"http://{server.connection.host}:{server.connection.port}/#page=embeddings&emb.colour=cluster")
        page.locator(_DRAWN).wait_for(timeout=300_000)
        print(f"first picture                      {time.perf_counter() - start:7.2f} s")
        page.locator('[data-part="legend"] button').first.wait_for(timeout=300_000)
        print(f"with colours                       {time.perf_counter() - start:7.2f} s")
        print(f"bytes received by the page         {received / 1e6:7.2f} MB")
        print(f"heap of the page                   {heap_bytes(page) / 1e6:7.2f} MB")
        print(f"frames while zooming               {page.evaluate(_FRAMES):7.1f} per second")
        if screenshot:
            page.screenshot(path=str(screenshot))


if __name__ == "__main__":
    main()
