"""The layout of tensors in a flat vector."""

import pytest

from toposcope.recorder.landscapes.weights.layout import kind_by_name, layout_of


def test_buffers_are_last() -> None:
    """Otherwise the order is kept, and each tensor begins where the previous one ends."""
    layout = layout_of(
        [
            ("conv.weight", (4, 2), "weight"),
            ("bn.running_mean", (4,), "buffer"),
            ("bn.weight", (4,), "norm"),
            ("scale", (), "bias"),
            ("bn.running_var", (4,), "buffer"),
        ]
    )

    places = [(tensor.name, tensor.start, tensor.stop) for tensor in layout.tensors]
    assert places == [
        ("conv.weight", 0, 8),
        ("bn.weight", 8, 12),
        ("scale", 12, 13),
        ("bn.running_mean", 13, 17),
        ("bn.running_var", 17, 21),
    ]
    assert (layout.parameter_count, layout.size) == (13, 21)


def test_network_without_buffers_is_trained_completely() -> None:
    """Its parameter count is its size."""
    layout = layout_of([("weight", (2, 3), "weight"), ("bias", (3,), "bias")])

    assert layout.parameter_count == layout.size == 9
    assert layout_of([]).parameter_count == 0


def test_variances_are_recognised_by_their_names() -> None:
    """Of buffers, with the names of PyTorch, MindSpore and Flax."""
    layout = layout_of(
        [
            ("bn.running_mean", (2,), "buffer"),
            ("bn.running_var", (2,), "buffer"),
            ("weight", (3,), "bias"),
            ("bn.moving_variance", (2,), "buffer"),
            ("variance", (1,), "weight"),
            ("batch_stats.norm.var", (1,), "buffer"),
        ]
    )
    assert layout.variances.tolist() == [6, 7, 8, 9, 10]
    assert layout_of([("weight", (3,), "bias")]).variances.tolist() == []


def test_names_and_kinds_are_checked() -> None:
    """A repeated name would be read twice from one tensor."""
    with pytest.raises(ValueError, match="'a' appears twice"):
        layout_of([("a", (1,), "bias"), ("b", (1,), "bias"), ("a", (2,), "bias")])
    with pytest.raises(ValueError, match=r"kind is one of .* not 'gamma'"):
        layout_of([("a", (1,), "gamma")])


@pytest.mark.parametrize(
    ("name", "shape", "kind"),
    [
        ("layer1.0.bn1.running_mean", (4,), "buffer"),
        ("bn.moving_variance", (4,), "buffer"),
        ("bn.gamma", (4,), "norm"),
        ("features.bn2.weight", (4,), "norm"),
        ("norm.bias", (4,), "norm"),
        ("embedding_table", (10, 4), "embedding"),
        ("tok_embed.weight", (10, 4), "embedding"),
        ("embedding.weight", (10, 4), "embedding"),
        ("fc.weight", (4, 4), "weight"),
        ("fc.bias", (4,), "bias"),
    ],
)
def test_names_determine_kinds(name: str, shape: tuple[int, ...], kind: str) -> None:
    """With the names of PyTorch and MindSpore."""
    assert kind_by_name(name, shape) == kind
