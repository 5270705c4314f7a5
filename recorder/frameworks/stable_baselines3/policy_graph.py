"""The graph of the policy of an agent of Stable-Baselines3."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toposcope.recorder.framework import framework_of


def policy_graph(model: Any) -> Any:
    """Return the graph of the policy for one observation: from the observation to the action."""
    # A copy, as sampling changes the state of a space.
    observations, _ = model.policy.obs_to_tensor(copy.deepcopy(model.observation_space).sample())
    with _unchecked_distributions():
        return framework_of(model.policy).network_graph(model.policy, (observations,))


@contextmanager
def _unchecked_distributions() -> Iterator[None]:
    """Let distributions be created without checks of their values, which torch.export cannot trace."""
    from torch.distributions import Distribution

    before = Distribution._validate_args
    Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        Distribution.set_default_validate_args(before)
