"""install() and uninstall(): the writers of PyTorch and of a package like tensorboardX are ours."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.pytorch import needs_torch
from support.recorded_run import scalars_of
from support.torch_programs import TorchPrograms

THEIRS = """
class FileWriter:
    def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix=''):
        raise AssertionError("theirs")

class SummaryWriter:
    default = 3

    def __init__(self, logdir=None, comment='', **kwargs):
        raise AssertionError("theirs")
"""
USER = "from tensorboardX import SummaryWriter as Writer\nimport tensorboardX.writer\nKINDS = (Writer,)\n"


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Return a directory with a package tensorboardX, whose classes fail, and a module that imports it."""
    package = tmp_path / "packages" / "tensorboardX"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .writer import FileWriter, SummaryWriter\n")
    (package / "writer.py").write_text(THEIRS)
    (package.parent / "user.py").write_text(USER)
    return package.parent


def run_script(script: str, packages: Path, directory: Path) -> list[str]:
    """Run a script and return the lines that it printed."""
    head = (
        f"import sys\nsys.path.insert(0, {str(packages)!r})\nfrom toposcope.recorder import *\nD = {str(directory)!r}\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", head + script], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_modules_imported_before_and_after(packages: Path, tmp_path: Path) -> None:
    """Names in modules that were imported earlier are ours, and those of modules imported later."""
    for name, order in (("before", ("import user", "install()")), ("after", ("install()", "import user"))):
        script = "\n".join(order) + (
            "\ninstall()\n"
            "import tensorboardX\n"
            "with user.Writer(D, flush_secs=1) as writer:\n"
            "    writer.add_scalar('x', 1.0, 1)\n"
            "print(user.Writer is tensorboardX.SummaryWriter is tensorboardX.writer.SummaryWriter)\n"
            "print(isinstance(writer, SummaryWriter), isinstance(writer, user.KINDS), user.Writer.default)\n"
            "print(isinstance(writer._get_file_writer(), tensorboardX.FileWriter))\n"
            "writer.close()\n"
        )
        assert run_script(script, packages, tmp_path / name) == ["True", "True True 3", "True"]
        assert scalars_of(tmp_path / name, "x") == {1: 1.0}


def test_classes_derived_from_a_writer(packages: Path, tmp_path: Path) -> None:
    """A class that was derived before from the replaced one is derived from ours, and gets its base back."""
    script = """
import tensorboardX
class Doubled(tensorboardX.SummaryWriter):
    def add_scalar(self, tag, value, step):
        super().add_scalar(tag, 2 * value, step)
theirs = [tensorboardX.SummaryWriter]
install()
with Doubled(D) as writer:
    writer.add_scalar("x", 1.0, 1)
print(Doubled.__bases__ == (tensorboardX.SummaryWriter,))
uninstall()
print(Doubled.__bases__ == tuple(theirs))
"""
    assert run_script(script, packages, tmp_path) == ["True", "True"]
    assert scalars_of(tmp_path, "x") == {1: 2.0}


def test_uninstall_puts_everything_back(packages: Path, tmp_path: Path) -> None:
    """Afterwards the classes, also those that were imported while ours were there, are the original ones."""
    script = """
import tensorboardX
theirs = [tensorboardX.SummaryWriter]  # Not a name of this module, which install() would change.
uninstall()
install()
import user
assert user.Writer is not theirs[0]
uninstall()
uninstall()
print(user.Writer is tensorboardX.SummaryWriter is tensorboardX.writer.SummaryWriter is theirs[0])
print([finder for finder in sys.meta_path if "toposcope" in type(finder).__module__])
install()
print(user.Writer is not theirs[0])
"""
    assert run_script(script, packages, tmp_path) == ["True", "[]", "True"]


def test_writers_with_the_signature_of_tensorboardx(packages: Path, tmp_path: Path) -> None:
    """Parameters, directories and tags are those of tensorboardX."""
    script = """
install()
from tensorboardX import SummaryWriter, FileWriter
w = SummaryWriter(logdir=D, write_to_disk=True, comet_config={"disabled": True})
w.add_scalar("a b", 1.5, 1, display_name="name", summary_description="text")
w.add_scalar("a b", 2.5, 2)
w.add_scalars("main/tag", {"one": 1.0}, 3, walltime=5.0)
with w.use_metadata(global_step=9, walltime=7.0):
    w.add_scalar("defaults", 1.0)
    w.add_histogram("a histogram", [1.0])
    w.file_writer.add_summary(b"")
w.add_hparams({"lr": 0.1}, {"loss": 1.0}, "session", 4)
w.export_scalars_to_json(D + "/scalars.json")
print(open(D + "/scalars.json").read() == '{"' + D + '/main/tag/one": [[5.0, 3, 1.0]]}', w.scalar_dict, w.logdir == D)
w.close()
none = SummaryWriter(D + "/none", write_to_disk=False)
for n in range(2):
    none.add_scalar("x", 1.0, 1)
    none.add_histogram("h", [1.0], 1)
    none.add_scalars("main", {"one": 1.0})
    with none.use_metadata(global_step=1):
        none.add_text("note", "text")
    none.file_writer.add_summary(b"")
    none.file_writer.reopen()
    none.flush()
    none.close()
FileWriter(logdir=D + "/files").close()
from toposcope import server
runs = server.open(D).runs
print(sorted(runs))
print(sorted(runs["."].tags("scalar")), runs["."].scalars("a_b").value.tolist(), runs["."].scalars("defaults"))
print(runs["."].tags("histogram"), runs["."].histograms("a_histogram").step.tolist())
print(runs["."].scalars("main/tag/one").step.tolist(), runs["session"].hparams().hparams["lr"].value)
"""
    printed = run_script(script, packages, tmp_path / "run")
    assert printed[0] == "True {} True"
    assert printed[1] == "['.', 'files', 'session']"
    assert printed[2].startswith(
        "['a_b', 'defaults', 'main/tag/one'] [1.5, 2.5] Scalars(step=array([9]), wall_time=array([7.]), value"
    )
    assert printed[3] == "['a_histogram'] [9]"
    assert printed[4] == "[3] 0.1"


@needs_torch
def test_without_tensorboard(programs: TorchPrograms, tmp_path: Path) -> None:
    """torch.utils.tensorboard can be imported where TensorBoard is not installed, until uninstall()."""
    script = """
import sys
from toposcope.recorder import install, uninstall
D = sys.argv[1]
sys.modules["tensorboard"] = None
import torch
del sys.modules["tensorboard"]
sys.path_importer_cache.clear()
install()
from torch.utils.tensorboard import FileWriter, SummaryWriter
from torch.utils.tensorboard.summary import hparams
from torch.utils.tensorboard.writer import SummaryWriter as Same
print(Same is SummaryWriter)
with torch.utils.tensorboard.SummaryWriter(D, purge_step=0) as writer:
    writer.add_scalar("x", torch.tensor(2.0), 1)
    for summary in hparams({"lr": 0.1}, {"loss": 1.0}):
        writer._get_file_writer().add_summary(summary)
uninstall()
print(hasattr(torch.utils, "tensorboard"))
try:
    import torch.utils.tensorboard
except ImportError as error:
    print(error)
from toposcope import server
print(server.open(D).runs["."].hparams().hparams["lr"].value)
"""
    printed = programs.run(script, tmp_path / "run", folder=tmp_path)
    assert printed.splitlines() == ["True", "False", "No module named 'tensorboard'", "0.1"]
    assert scalars_of(tmp_path / "run", "x") == {1: 2.0}
