"""train_thor: the second-order optimizer THOR for PyTorch modules, with the names of mindspore.train.train_thor."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Literal

from toposcope.recorder.adapters import adapter, is_cell, is_module
from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.training.model import Model
from toposcope.recorder.values.arrays.foreign_values import short_repr

_AMP_LEVELS = ("O0", "O2", "O3", "auto")


class ConvertNetUtils:
    """Prepares a network for THOR."""

    def convert_to_thor_net(self, net: Any) -> None:
        """Check that THOR can train a network.

        thor() observes the layers of a torch.nn.Module itself, so nothing is changed; MindSpore replaces layers here. A
        network of MindSpore is converted by MindSpore.

        Args:
            net: a torch.nn.Module or a mindspore.nn.Cell.

        Raises:
            TypeError: net is neither.
        """
        if is_cell(net):
            _mindspore().ConvertNetUtils().convert_to_thor_net(net)
        elif not is_module(net):
            raise TypeError(f"net must be a torch.nn.Module or a mindspore.nn.Cell, not {short_repr(net)}.")


class ConvertModelUtils:
    """Converts a Model for THOR."""

    @staticmethod
    def convert_to_thor_model(
        model: Any,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Any:
        """Return a model that trains a network with THOR.

        Our Model runs every optimizer of torch.optim, thor() included: the result is a new Model made from the other
        arguments, as in MindSpore. If optimizer is not a THOR optimizer, the result is *model* itself. A model of
        MindSpore is converted by MindSpore.

        Unlike MindSpore's, the new model keeps the evaluation network of *model*, and our keyword-only arguments. Its
        callbacks are called at every step, sink mode is not required, and fit() may evaluate in between.

        Args:
            model: a Model.
            network: the network to train.
            loss_fn: as for Model.
            optimizer: an optimizer created by thor().
            metrics: as for Model, a dict or a set.
            amp_level: "O0", "O2", "O3" or "auto"; see Model.
            loss_scale_manager: as for Model.
            keep_batchnorm_fp32: as for Model.

        Raises:
            TypeError: model is not a Model, network is not a torch.nn.Module or a mindspore.nn.Cell, or an argument has
                the wrong type.
            ValueError: amp_level is none of the above, or another argument has an invalid value.
        """
        if is_cell(network):
            return _mindspore().ConvertModelUtils.convert_to_thor_model(
                model, network, loss_fn, optimizer, metrics, amp_level, loss_scale_manager, keep_batchnorm_fp32
            )
        if not isinstance(model, Model):
            raise TypeError(f"model must be a Model, not {short_repr(model)}.")
        if not is_module(network):
            raise TypeError(f"network must be a torch.nn.Module or a mindspore.nn.Cell, not {short_repr(network)}.")
        checked_bool("keep_batchnorm_fp32", keep_batchnorm_fp32)
        if amp_level not in _AMP_LEVELS:
            raise ValueError(
                f"amp_level must be one of {', '.join(map(repr, _AMP_LEVELS))}, not {short_repr(amp_level)}."
            )
        if not hasattr(optimizer, "curvatures"):
            return model
        return model.with_parts(
            network,
            loss_fn,
            optimizer,
            metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )


def _mindspore() -> Any:
    return import_module("mindspore.train.train_thor")


def thor(
    net: Any,
    learning_rate: Any,
    damping: Any,
    momentum: float,
    weight_decay: float = 0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter: Callable[[Any], bool] = lambda parameter: True,
    split_indices: Any = None,
    enable_clip_grad: bool = False,
    frequency: int = 100,
    *,
    params: Iterable[Mapping[str, Any]] | None = None,
    pi: bool = True,
    block_size: int | None = None,
    trust_region: float | None = None,
    trace_thresholds: tuple[float, float] | None = None,
    factor_decay: float = 0.0,
    approach: Literal["expand", "reduce"] = "expand",
    reduction: Literal["mean", "sum"] = "mean",
    fisher: Literal["empirical", "sampled"] = "empirical",
    grad_scaler: Any = None,
    process_group: Any = None,
) -> Any:
    """Return a torch.optim.Optimizer that preconditions gradients by the Fisher information of each layer.

    Follows Chen et al., "THOR, Trace-based Hardware-driven Layer-Oriented Natural Gradient Descent Computation"
    (AAAI 2021), with the names and the order of operations of mindspore.nn.thor. Works in any training loop:

        optimizer = thor(net, learning_rate=0.05, damping=0.03, momentum=0.9, frequency=10)
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss_fn(net(inputs), labels).backward()
            optimizer.step()

    Differences from MindSpore's function: it takes parameter groups, and numbers and functions as rates and damping; a
    sequence that is too short for the training keeps its last value; damping is checked; frequency may be 1 and
    momentum an integer; use_nesterov has an effect on every device; without ConvertModelUtils and sink mode, too, only
    due steps refresh the factors. The layers keep their attributes: MindSpore loses the dilation and bias of
    convolutions and the padding_idx of embeddings, and refuses grouped convolutions and subclasses of Dense. Biases are
    preconditioned; normalisation layers are not. Factors are means over the samples, and damping has π, see pi.

    Preconditioned are torch.nn.Linear, Conv2d and Embedding, biases included. All other parameters are updated by
    momentum; one warning names them. Factors are gathered by hooks once every *frequency* steps.

    Args:
        net: the torch.nn.Module to train.
        learning_rate: a number; a sequence or tensor with a value per step; or a function of the step. A scheduler of
            torch.optim.lr_scheduler may change a number.
        damping: like learning_rate; is added to the Fisher information of each layer, and must be positive.
        momentum: at least 0.
        weight_decay: at least 0; is added to the preconditioned gradient, as in MindSpore.
        loss_scale: by which the loss is multiplied; gradients are divided by it.
        batch_size: accepted for compatibility; the observed number of samples is used.
        use_nesterov: whether momentum is Nesterov's.
        decay_filter: called with an object with the attribute `name`; whether the parameter decays.
        split_indices: None or a list of integers, accepted for compatibility: in MindSpore it groups messages between
            devices.
        enable_clip_grad: whether the update of each parameter is clipped to an Euclidean norm of 1.
        frequency: steps between refreshes of the factors.
        params: parameter groups, dicts with the keys "params", "lr", "damping", "momentum" and "weight_decay". None:
            one group of all trainable parameters. A group's own number replaces a sequence or function. Parameters
            that are in no group are neither trained nor observed.
        pi: whether damping is divided between the two factors of a layer in proportion to their mean eigenvalues;
            False: equally, as in MindSpore.
        block_size: size of the diagonal blocks of factors that are inverted, 128 in MindSpore; the row of the bias
            belongs to the last block. Smaller blocks take less time and memory, and precondition less. None: whole
            factors.
        trust_region: limit of the squared length of an update in the metric of the Fisher information; longer
            updates are scaled down. None: no limit.
        trace_thresholds: two relative changes of a layer's trace: above the first its factors are refreshed, below the
            second they are never refreshed again, as in the paper: (0.01, 0.0) or (0.01, 0.001). The traces are those
            of the step before, so that layers that are not refreshed need no factors. None, or zeros: every refresh.
        factor_decay: share of the last factors that a refresh keeps, at least 0 and less than 1, as in K-FAC
            (arXiv:1503.05671, section 5), where it is 0.95. 0: none, as in MindSpore.
        approach: treatment of positions in the input of linear layers (arXiv:2311.00636): "expand" or "reduce".
        reduction: how the loss combines the samples of a batch.
        fisher: "empirical": gradients of the loss; "sampled": gradients for labels sampled from the outputs of the
            network, which sample_fisher(outputs) of the optimizer gathers. Model calls it for the usual loss functions.
        grad_scaler: the torch.amp.GradScaler of the training. None: it is found in the first step that it calls.
        process_group: the processes over which factors are averaged; None: all of an initialized torch.distributed.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value.
    """
    if not is_module(net):
        raise TypeError(f"net must be a torch.nn.Module, not {short_repr(net)}.")
    checked_integer("batch_size", batch_size, lowest=0)
    if split_indices is not None:
        _check_indices(split_indices)
    create = adapter("torch", "thor").create
    return create(
        net,
        learning_rate=learning_rate,
        damping=damping,
        momentum=momentum,
        weight_decay=weight_decay,
        loss_scale=loss_scale,
        nesterov=checked_bool("use_nesterov", use_nesterov),
        decay_filter=decay_filter,
        clips_gradients=checked_bool("enable_clip_grad", enable_clip_grad),
        frequency=checked_integer("frequency", frequency, lowest=1),
        params=params,
        uses_pi=checked_bool("pi", pi),
        block=None if block_size is None else checked_integer("block_size", block_size, lowest=1),
        trust_region=trust_region,
        trace_thresholds=trace_thresholds,
        factor_decay=factor_decay,
        approach=approach,
        reduction=reduction,
        fisher=fisher,
        grad_scaler=grad_scaler,
        process_group=process_group,
    )


def _check_indices(split_indices: Any) -> None:
    if not isinstance(split_indices, list | tuple):
        raise TypeError(f"split_indices must be a list of integers or None, not {short_repr(split_indices)}.")
    for index in split_indices:
        checked_integer("An index of split_indices", index, lowest=0)
