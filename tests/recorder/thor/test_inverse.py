"""Inverses of damped factors, also of factors that cannot be inverted at once."""

import logging
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from toposcope.recorder.frameworks.torch.thor import preconditioner
from toposcope.recorder.frameworks.torch.thor.curvature.inverse import (
    Block,
    PerGroup,
    blocks_of,
    inverses,
    split_damping,
)
from toposcope.recorder.train_thor import thor


def positive(groups: int, size: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return positive definite matrices."""
    rows = torch.randn(groups, 3 * size, size, dtype=torch.float64)
    return (rows.transpose(1, 2) @ rows / len(rows[0])).to(dtype)


def test_blocks_of_all_sizes_are_inverted() -> None:
    """The inverses are those of numpy, whatever blocks are inverted together."""
    blocks = [Block(positive(1, 3), (0.1,)), Block(positive(2, 4), (0.1, 0.2)), Block(positive(1, 3), (1.0,))]
    for block, inverse in zip(blocks, inverses(blocks), strict=True):
        assert inverse is not None
        damped = (
            block.matrix + torch.tensor(block.damping).double()[:, None, None] * torch.eye(len(inverse[0])).double()
        )
        torch.testing.assert_close(inverse, torch.linalg.inv(damped))
    assert inverses([]) == []


def test_second_attempt_in_float64() -> None:
    """A matrix that float32 cannot decompose is inverted in float64; the others are not affected."""
    direction = torch.arange(1.0, 21.0)  # Whole numbers: the matrix is exact, and has rank 1.
    bad = Block((1024 * torch.outer(direction, direction))[None], (1e-3,))
    good = Block(positive(1, 20, torch.float32), (0.1,))
    _, info = torch.linalg.cholesky_ex(bad.matrix[0] + 1e-3 * torch.eye(20))
    assert info != 0
    first, second = inverses([bad, good])
    assert first is not None
    assert second is not None
    assert first.dtype == torch.float32
    exact = torch.linalg.inv(bad.matrix.double() + 1e-3 * torch.eye(20).double())
    assert (first - exact).norm() < 1e-3 * exact.norm()
    (alone,) = inverses([good])
    assert alone is not None
    torch.testing.assert_close(second, alone)


@pytest.mark.parametrize("value", [float("nan"), -1e9])
def test_matrix_without_inverse(value: float) -> None:
    """A matrix that is not finite or not positive has no inverse; those beside it have one."""
    bad = positive(2, 3)
    bad[1, 1, 1] = value
    first, second = inverses([Block(bad, (0.1, 0.1)), Block(positive(1, 3), (0.1,))])
    assert first is None
    assert second is not None


def test_damping_is_split_in_proportion_to_the_mean_eigenvalues() -> None:
    """The product of both parts is the damping; traces of 0 split it equally."""
    split = split_damping(PerGroup((6.0, 0.0), (1.0, 1.0)), (2, 4), 0.04, True)
    assert split.inputs == pytest.approx((0.2 * 12**0.5, 0.2))
    assert split.gradients == pytest.approx((0.2 / 12**0.5, 0.2))
    assert split_damping(PerGroup((6.0,), (1.0,)), (2, 4), 0.04, False) == PerGroup((0.2,), (0.2,))


@pytest.mark.parametrize(
    ("size", "block", "has_bias", "expected"),
    [
        (5, None, True, [(0, 5)]),
        (5, 2, True, [(0, 2), (2, 5)]),
        (5, 2, False, [(0, 2), (2, 4), (4, 5)]),
        (257, 128, True, [(0, 128), (128, 257)]),
        (1, 4, True, [(0, 1)]),
    ],
)
def test_places_of_blocks(size: int, block: int | None, has_bias: bool, expected: list[tuple[int, int]]) -> None:
    """Blocks have the given size; the row of a bias belongs to the block before it."""
    assert [(part.start, min(part.stop, size)) for part in blocks_of(size, block, has_bias)] == expected


def test_singular_factors_keep_the_last_inverses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Factors that cannot be inverted do not end the training; one warning names the layers."""
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    optimizer = thor(net, 0.1, 0.1, 0.9, frequency=2)

    def step() -> None:
        optimizer.zero_grad()
        net(torch.randn(8, 4)).square().sum(1).mean().backward()
        optimizer.step()

    step()
    before = optimizer.curvatures["0"].inverse_inputs
    step()

    def fail(blocks: list[Any]) -> list[Tensor | None]:
        return [None for _ in blocks]

    with caplog.at_level(logging.WARNING), monkeypatch.context() as patch:
        patch.setattr(preconditioner, "inverses", fail)
        for _ in range(4):
            step()
            assert optimizer.curvatures["0"].decision == "failed"
    assert optimizer.curvatures["0"].inverse_inputs is before
    assert [record.getMessage() for record in caplog.records if "singular" in record.getMessage()] == [
        "THOR: factors are singular, the last inverses are kept: 0, 1."
    ]
    step()
    assert optimizer.curvatures["0"].decision == "refreshed"


def test_damping_that_is_changed_to_a_bad_value_is_named() -> None:
    """The error of a step names the value."""
    net = nn.Linear(4, 3)
    optimizer = thor(net, 0.1, 0.1, 0.9)
    optimizer.param_groups[0]["damping"] = -1.0
    net(torch.randn(8, 4)).sum().backward()
    with pytest.raises(ValueError, match=r"damping.*-1"):
        optimizer.step()
