"""ConvertNetUtils and ConvertModelUtils of toposcope.recorder.train_thor pass networks of the real MindSpore through.

MindSpore creates THOR and converts networks and models on every device, and trains with it on Ascend and GPU only.
"""

from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.train.model import Model
from mindspore.train.train_thor import ConvertModelUtils as MindSporeConvertModelUtils

from toposcope.recorder.train_thor import ConvertModelUtils, ConvertNetUtils, thor


class Net(nn.Cell):
    """A convolution and a dense layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.flatten, self.fc = nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Dense(32, 3)

    def construct(self, images: ms.Tensor) -> ms.Tensor:
        """Return the scores of the classes."""
        return self.fc(self.flatten(self.conv(images)))


def parts() -> dict[str, Any]:
    """Return the arguments of the documented sample."""
    net = Net()
    temp = ms.Tensor([4e-4, 1e-4, 1e-5, 1e-5], ms.float32)
    return {
        "network": net,
        "loss_fn": nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        "optimizer": nn.thor(net, learning_rate=temp, damping=temp, momentum=0.9, loss_scale=128, frequency=4),
        "metrics": {"acc"},
        "amp_level": "O2",
        "loss_scale_manager": ms.FixedLossScaleManager(128, drop_overflow_update=False),
        "keep_batchnorm_fp32": False,
    }


def test_the_layers_of_a_network_are_those_of_thor() -> None:
    """As MindSpore's own function converts them; None is returned."""
    net = Net()
    converted: Any = ConvertNetUtils().convert_to_thor_net(net)  # type: ignore[func-returns-value]

    assert converted is None
    assert [type(cell).__name__ for cell in (net.conv, net.fc)] == ["Conv2dThor", "DenseThor"]


def test_a_model_is_converted_by_mindspore() -> None:
    """The result is of the class that MindSpore's own function returns."""
    given = parts()
    converted = ConvertModelUtils.convert_to_thor_model(model=Model(**given), **given)
    expected = MindSporeConvertModelUtils.convert_to_thor_model(model=Model(**given), **given)

    assert type(converted) is type(expected)
    assert type(converted).__name__ == "ModelThor"
    assert converted._network is given["network"]
    assert converted._loss_scale_manager is given["loss_scale_manager"]


def test_a_model_without_thor_is_returned() -> None:
    """The same object."""
    net = Net()
    momentum = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = Model(net, nn.MSELoss(), momentum)

    assert ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), momentum) is model


def test_our_optimizer_does_not_take_cells() -> None:
    """The error names the class that is expected; MindSpore's function is nn.thor."""
    with pytest.raises(TypeError, match=r"net must be a torch\.nn\.Module"):
        thor(Net(), np.float32(0.1), 0.1, 0.9)
