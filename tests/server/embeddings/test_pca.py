"""Principal components and neighbours against the slow versions of NumPy and scikit-learn."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from toposcope.server.embeddings.projections import pca as module
from toposcope.server.embeddings.projections.neighbours import Metric, nearest
from toposcope.server.embeddings.projections.pca import pca


def vectors(number: int, dimensions: int) -> np.ndarray:
    """Return vectors whose components have different variances, around a point far from zero."""
    random = np.random.default_rng(7)
    scales = np.geomspace(10, 0.1, dimensions)
    return (random.standard_normal((number, dimensions)) * scales + 5).astype(np.float32)


@pytest.mark.parametrize("shape", [(1000, 30), (40, 300), (3000, 1100), (1100, 3000)])
def test_components_are_those_of_scikit_learn_up_to_sign(shape: tuple[int, int]) -> None:
    data = vectors(*shape)
    reference = PCA(3, svd_solver="full").fit(data.astype(np.float64))
    expected = reference.transform(data.astype(np.float64))

    found = pca(data, 3)

    signs = np.sign((found.positions * expected).sum(axis=0))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.positions * signs / scale, expected / scale, atol=1e-5)
    np.testing.assert_allclose(found.explained, reference.explained_variance_ratio_, atol=1e-9)
    assert found.left_out == 0


def test_vectors_that_are_not_finite_have_no_position_and_do_not_move_others() -> None:
    data = vectors(100, 5)
    damaged = np.insert(data, [3, 50], np.nan, axis=0)
    damaged[3, 1] = np.inf

    found, expected = pca(damaged, 2), pca(data, 2)

    assert found.left_out == 2
    assert np.isnan(found.positions[[3, 51]]).all()
    np.testing.assert_array_equal(np.delete(found.positions, [3, 51], axis=0), expected.positions)


@pytest.mark.parametrize(
    "data",
    [np.ones((4, 3)), np.ones((1, 1)), np.full((3, 2), np.nan), np.zeros((2, 5)), np.array([[1.0], [2.0], [4.0]])],
)
def test_components_without_variance_are_zero(data: np.ndarray) -> None:
    found = pca(data.astype(np.float32), 3)

    assert found.positions.shape == (len(data), 3)
    assert np.isfinite(found.explained).all()
    assert found.explained[1:].tolist() == [0, 0]
    assert not np.nan_to_num(found.positions[:, 1:]).any()


def test_chunks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    data = vectors(500, 20)
    whole = pca(data, 2)
    monkeypatch.setattr(module, "_CHUNK_ELEMENTS", 200)

    np.testing.assert_allclose(pca(data, 2).positions, whole.positions, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_of_a_hundred_points_are_those_of_scikit_learn(metric: Metric) -> None:
    data = vectors(2000, 24)
    reference = NearestNeighbors(n_neighbors=11, metric=metric, algorithm="brute").fit(data.astype(np.float64))
    distances, rows = reference.kneighbors(data[:100].astype(np.float64))

    for row in range(100):
        found = nearest(data, row, 10, metric)
        assert found.rows.tolist() == rows[row, 1:].tolist()
        np.testing.assert_allclose(found.distances, distances[row, 1:], atol=1e-9)


def test_neighbours_leave_out_what_has_no_distance() -> None:
    data = np.array([[1, 0], [np.nan, 1], [0, 0], [1, 1], [2, 0]], np.float32)

    assert nearest(data, 0, 10, "euclidean").rows.tolist() == [2, 3, 4]
    assert nearest(data, 0, 10, "cosine").rows.tolist() == [4, 3]
    assert nearest(data, 1, 10, "euclidean").rows.tolist() == []
