"""Projections on disk."""

import os
from pathlib import Path

import numpy as np
from support.servers import Serve

from toposcope.server.embeddings.projections.pca import Projection, pca
from toposcope.server.embeddings.projections.stored import StoredProjections

FOUND = pca(np.random.default_rng(1).standard_normal((100, 5)).astype(np.float32), 2)


def same(one: Projection | None, other: Projection) -> bool:
    """Return whether two projections are equal."""
    return one is not None and all(
        np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(one, other, strict=True)
    )


def test_a_stored_projection_is_found_by_its_key(tmp_path: Path) -> None:
    StoredProjections(tmp_path / "a").store(("file", 1.5), FOUND)
    stored = StoredProjections(tmp_path / "a")

    assert same(stored.load(("file", 1.5)), FOUND)
    assert stored.load(("file", 2.5)) is None


def test_a_damaged_file_is_nothing(tmp_path: Path) -> None:
    stored = StoredProjections(tmp_path)
    stored.store("key", FOUND)
    (path,) = tmp_path.iterdir()
    for content in (b"", b"PK", path.read_bytes()[:-50], path.read_bytes().replace(b"explained", b"explainer")):
        path.write_bytes(content)
        assert stored.load("key") is None


def test_the_least_recently_used_ones_are_deleted(tmp_path: Path) -> None:
    stored = StoredProjections(tmp_path, 5000)
    for number in range(3):
        stored.store(number, FOUND)
        for path in tmp_path.iterdir():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))

    assert stored.load(0) is None
    assert same(stored.load(2), FOUND)


def test_a_disk_that_takes_nothing_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stored = StoredProjections(tmp_path / "file" / "folder")

    stored.store("key", FOUND)

    assert stored.load("key") is None


def test_a_server_stores_projections_beside_its_index(tmp_path: Path, serve_process: Serve) -> None:
    """Vectors that have changed are projected again."""
    folder, index = tmp_path / "logs/run", tmp_path / "index"
    folder.mkdir(parents=True)
    (folder / "projector_config.pbtxt").write_text('embeddings { tensor_name: "e" tensor_path: "v.tsv" }')
    query = {"run": "run", "name": "e"}
    for rows in ("1\t2\n3\t5\n", "1\t2\n3\t5\n4\t4\n"):
        (folder / "v.tsv").write_text(rows)
        for _ in range(2):
            client = serve_process(tmp_path / "logs", "--index-dir", str(index))
            reply = client.get("api/embeddings/projection", params=query).raise_for_status().json()
            assert reply["total"] == rows.count("\n")

    assert len(list((index / "projections").iterdir())) == 2
