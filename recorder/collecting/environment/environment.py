"""The environment of a training: its command line, package versions, host, accelerators and launcher."""

import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from toposcope.proto.summary_pb2 import Environment
from toposcope.proto.wire import text_bytes
from toposcope.recorder import log
from toposcope.recorder.collecting.environment.packages import installed_packages
from toposcope.recorder.collecting.environment.repository import Repository
from toposcope.recorder.collecting.machine.gpus import gpus_of
from toposcope.recorder.rank import process_count, process_rank, rank_of, world_size_of
from toposcope.recorder.secrets.hiding import command_line, hide_secrets

Facts = dict[str, str | int | float]

_PACKAGES = (
    *("numpy", "torch", "mindspore", "jax", "tensorflow", "keras", "sklearn", "torchvision", "torchmetrics"),
    *("lightning", "pytorch_lightning", "transformers", "accelerate", "datasets", "composer", "deepspeed"),
)
_VARIABLES = frozenset(
    (
        *("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUBLAS_WORKSPACE_CONFIG", "HIP_VISIBLE_DEVICES"),
        *("ROCR_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "DEVICE_ID", "TPU_NAME"),
        *("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT"),
        *("SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_NNODES", "SLURM_NODELIST"),
        *("SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_PARTITION", "PBS_JOBID", "LSB_JOBID", "JOB_ID"),
        *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "PYTHONHASHSEED"),
        *("NCCL_DEBUG", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "NCCL_SOCKET_IFNAME", "PYTORCH_CUDA_ALLOC_CONF"),
        *("TORCHINDUCTOR_CACHE_DIR", "XLA_FLAGS", "JAX_PLATFORMS", "JAX_ENABLE_X64", "TF_DETERMINISTIC_OPS"),
        *("KERAS_BACKEND", "TOKENIZERS_PARALLELISM", "CONDA_DEFAULT_ENV", "VIRTUAL_ENV", "KUBERNETES_NAMESPACE"),
    )
)
"""Variables that determine how a training runs; no others are recorded."""
_MAX_CHARACTERS = 4000


def environment_facts(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> Facts:
    """Return the facts about the environment; unavailable facts are omitted.

    Args:
        argv: the command line; None: sys.argv.
        environ: the environment variables; None: os.environ.

    Returns:
        By name: "argv" (secrets hidden, see command_line()); "python"; "version/<package>" of Toposcope and of the
        well-known packages that are imported; "host", "os", "cpu_count" (CPUs that this process may use), "gpus"
        ("2 x NVIDIA H200"), "start_time" (ISO 8601 with UTC offset), "world_size" and "rank".

    Never raises.
    """
    arguments = sys.argv if argv is None else argv
    variables = os.environ if environ is None else environ
    sources: tuple[Callable[[], Facts], ...] = (
        lambda: {"argv": command_line(arguments)},
        _version_facts,
        lambda: _host_facts(variables),
        lambda: _process_facts(variables),
    )
    facts: Facts = {}
    for source in sources:
        try:
            facts |= source()
        except Exception as error:
            log.warn("Part of the environment is not recorded: %s: %s", type(error).__name__, error)
    return facts


def repository_facts(repository: Repository | None) -> Facts:
    """Return "git_commit" and "git_dirty", whether tracked files differ from it; unknown facts are omitted."""
    if repository is None:
        return {}
    facts: Facts = {"git_commit": repository.commit}
    return facts if repository.is_dirty is None else {**facts, "git_dirty": repository.is_dirty}


def environment_message(facts: Facts) -> Environment:
    """Return the message in the event file: facts, the variables that determine how a training runs, and packages."""
    shown = {f"variable/{name}": hide_secrets(os.environ[name]) for name in sorted(_VARIABLES) if name in os.environ}
    message = Environment()
    for name, fact in ({**facts, "executable": sys.executable, "directory": os.getcwd()} | shown).items():
        message.facts.add(name=name, value=_text(fact))
    for name, version in installed_packages().items():
        message.packages.add(name=name, value=version)
    return message


def _text(fact: str | int | float) -> str:
    text = str(fact).lower() if isinstance(fact, bool) else str(fact)
    return text_bytes(text[:_MAX_CHARACTERS]).decode()


def _version_facts() -> Facts:
    versions = {name: getattr(sys.modules[name], "__version__", None) for name in _PACKAGES if name in sys.modules}
    facts: Facts = {f"version/{name}": str(version) for name, version in versions.items() if version is not None}
    facts["python"] = platform.python_version()
    if (version := installed_packages().get("toposcope")) is not None:  # Not imported from its source tree.
        facts["version/toposcope"] = version
    return facts


def _host_facts(environ: Mapping[str, str]) -> Facts:
    facts: Facts = {"host": platform.node(), "os": _operating_system(), "cpu_count": _cpu_count()}
    if names := Counter(gpu.name for gpu in gpus_of(environ)):
        facts["gpus"] = ", ".join(name if count == 1 else f"{count} x {name}" for name, count in names.items())
    return facts


def _operating_system() -> str:
    """Return what platform.platform() returns, which reads all of Python's executable and runs another program."""
    system, release, machine = platform.system(), platform.release(), platform.machine()
    if system != "Linux":
        return platform.platform()
    libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None
    return f"{system}-{release}-{machine}" + (f"-with-{libc.replace(' ', '')}" if libc else "")


def _process_facts(environ: Mapping[str, str]) -> Facts:
    start = datetime.now().astimezone().isoformat(timespec="seconds")
    is_own = environ is os.environ
    world_size, rank = (process_count(), process_rank()) if is_own else (world_size_of(environ), rank_of(environ))
    return {"start_time": start, "world_size": world_size, "rank": rank}


def _cpu_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
