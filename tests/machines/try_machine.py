"""Run make demo and make test on fresh machines: minimal Debian systems in directories. Needs root and debootstrap.

python tests/machines/try_machine.py [MACHINE ...] [--only demo|test]

Prints a row of a table for each machine, then why tests were skipped. PYTEST_ADDOPTS restricts the tests.
"""

import argparse
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = ROOT / "build" / "machines"
ESSENTIALS = ("ca-certificates", "git", "make", "python3")
COMPILER = ("gcc", "libc6-dev", "python3-dev")
HOME = "/home/visitor"
# How this machine reaches its registries: settings of apt, pip and npm, certificates and name servers.
SETTINGS = (
    *("/etc/apt/apt.conf.d", "/etc/pip.conf", "/etc/xdg/pip", "/etc/npmrc", "/usr/etc/npmrc"),
    *("/etc/resolv.conf", "/etc/ssl/certs"),
)
SETTING_NAMES = re.compile(r"PIP_|npm_config_|SSL_CERT_|NODE_EXTRA_CA_CERTS|PYTEST_ADDOPTS|\w+_proxy$", re.IGNORECASE)
HEADER = ["machine", "command", "wall (s)", "CPU (s)", "downloaded (MB)", "passed", "skipped", "failed", "status"]


class Machine(NamedTuple):
    """A fresh machine."""

    suite: str
    packages: tuple[str, ...] = COMPILER
    is_root: bool = True
    folder: str = "toposcope"
    python: str = "python3"
    umask: str = "022"
    variables: tuple[str, ...] = ()


MACHINES = {
    "debian12": Machine("bookworm"),
    "debian13": Machine("trixie"),
    "debian13-no-compiler": Machine("trixie", packages=()),
    # Nobody installs Chromium there, HOME cannot be written, and files are for their owner only.
    "debian13-user": Machine("trixie", ("python3-venv",), False, umask="077", variables=("HOME=/", "LC_ALL=C")),
    "debian13-space": Machine("trixie", folder="ein Pfad é 路"),
    "python3.14": Machine("sid", ("gcc", "libc6-dev", "python3.14-dev", "python3.14-venv"), python="python3.14"),
}


class Outcome(NamedTuple):
    """What a command cost, and what it printed."""

    wall_seconds: float
    cpu_seconds: float
    megabytes: float
    status: str
    output: str


class Meter:
    """Measures time and what all network interfaces receive, since it was made."""

    def __init__(self) -> None:
        self._began, self._cpu, self._received = time.monotonic(), _cpu_seconds(), _received_bytes()

    def outcome(self, status: str, output: str) -> Outcome:
        """Return what was used until now; CPU time is that of children that have ended."""
        megabytes = (_received_bytes() - self._received) / 1e6
        return Outcome(time.monotonic() - self._began, _cpu_seconds() - self._cpu, megabytes, status, output)


def main() -> None:
    """Try machines, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machines", nargs="*", choices=[*MACHINES, []], metavar="MACHINE", help=", ".join(MACHINES))
    parser.add_argument("--only", choices=("demo", "test"), help="run one of the two commands")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Ignored in jobs that a shell runs in the background.
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("Fresh machines need root and debootstrap: apt-get install debootstrap")
    print_row(HEADER)
    print_row(["---"] * len(HEADER))
    for name in options.machines or MACHINES:
        machine, system = MACHINES[name], SYSTEMS / name
        install(machine, system)
        if options.only != "test":
            report(name, "make demo", run_demo(machine, system))
        if options.only != "demo":
            report(name, "make test", run_test(machine, system))


def install(machine: Machine, system: Path) -> None:
    """Install a new system, with a clone of what is committed here."""
    base = SYSTEMS / "bases" / machine.suite
    if not (base / "installed").exists():
        shutil.rmtree(base, ignore_errors=True)
        base.parent.mkdir(parents=True, exist_ok=True)
        call("debootstrap", "--variant=minbase", machine.suite, str(base))
        (base / "installed").touch()
    shutil.rmtree(system, ignore_errors=True)
    call("cp", "--archive", str(base), str(system))
    copy_settings(system)
    packages = " ".join([*ESSENTIALS, *machine.packages])
    call(*inside(system, f"apt-get update -qq && apt-get install -qq -y --no-install-recommends {packages}"))
    copy_settings(system)  # ca-certificates has replaced the certificates.
    call(*inside(system, f"useradd --create-home --home-dir {HOME} visitor"))
    call("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), f"{system}{HOME}/{machine.folder}")
    owner = "root" if machine.is_root else "visitor"
    call(*inside(system, f"chown -R {owner}:{owner} {HOME}"))


def copy_settings(system: Path) -> None:
    """Let the system reach the registries as this machine does."""
    for setting in filter(os.path.exists, SETTINGS):
        (system / setting[1:]).parent.mkdir(parents=True, exist_ok=True)
        # Links there would lead out of the system: they are replaced, not followed.
        options = ("--recursive", "--dereference", "--remove-destination", "--no-target-directory")
        call("cp", *options, setting, str(system / setting[1:]))


def inside(system: Path, script: str, machine: Machine | None = None) -> list[str]:
    """Return the command that runs a shell script in the system, in the clone where a machine is given."""
    folders = ["/proc", "/sys", "/dev/pts", *local_registries()]
    for folder in folders:
        (system / folder[1:]).mkdir(parents=True, exist_ok=True)
    mounts = [f"mount --rbind {folder} {shlex.quote(f'{system}{folder}')}" for folder in folders]
    mounts.append(f"mount -t tmpfs tmpfs {shlex.quote(f'{system}/dev/shm')}")
    settings = [f"{name}={value}" for name, value in os.environ.items() if SETTING_NAMES.match(name)]
    variables = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "HOME=/root", *settings]
    user: list[str] = []
    if machine is not None:
        variables += machine.variables
        script = f"umask {machine.umask} && cd {shlex.quote(f'{HOME}/{machine.folder}')} && {script}"
        user = [] if machine.is_root else ["setpriv", "--reuid=visitor", "--regid=visitor", "--init-groups"]
    entered = shlex.join(["chroot", str(system), *user, "env", "-i", *variables, "sh", "-c", script])
    return ["unshare", "--mount", "sh", "-c", " && ".join([*mounts, f"exec {entered}"])]


def local_registries() -> list[str]:
    """Return the folders that contain those that pip's settings name: an index lies beside its files."""
    settings = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    text = settings + " ".join(value for name, value in os.environ.items() if name.startswith("PIP_"))
    paths = map(Path, re.findall(r"(?:file://|(?<![:\w/]))(/[\w.-][\w./-]*)", text))
    return sorted({str(path.parent) for path in paths if path.is_dir()})


def run_demo(machine: Machine, system: Path) -> Outcome:
    """Start the demo, load its page, and end it as Ctrl-C does."""
    meter = Meter()
    command = inside(system, f"exec make demo PYTHON={machine.python}", machine)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True
    )
    assert process.stdout is not None
    lines, loaded = [], None
    for line in process.stdout:
        lines.append(line)
        if loaded is None and (url := re.search(r"http://127\S+", line)):
            with urllib.request.urlopen(url[0]) as page:
                loaded = meter.outcome("page", page.read().decode())
            os.killpg(process.pid, signal.SIGINT)
    process.wait()
    ends_cleanly = loaded is not None and "The demo has ended" in "".join(lines[-2:])
    status = "ok" if ends_cleanly else f"exit status {process.returncode}"
    wall_seconds = loaded.wall_seconds if loaded else 0.0
    return meter.outcome(status, "".join(lines))._replace(wall_seconds=wall_seconds)


def run_test(machine: Machine, system: Path) -> Outcome:
    """Run every check and every test."""
    meter = Meter()
    command = inside(system, f"exec make test PYTHON={machine.python}", machine)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return meter.outcome("ok" if done.returncode == 0 else f"exit status {done.returncode}", done.stdout)


def report(name: str, command: str, outcome: Outcome) -> None:
    """Print the row of a command, and why tests were skipped or failed; its output is stored beside the system."""
    (SYSTEMS / f"{name}, {command}.log").write_text(outcome.output, encoding="utf-8")
    summary = re.findall(r"^=+ .* in [\d.]+s.*=+$", outcome.output, re.MULTILINE)
    counts = dict.fromkeys(("passed", "skipped", "failed"), "")
    for count, kind in re.findall(r"(\d+) (passed|skipped|failed|error)", summary[-1] if summary else ""):
        kind = "failed" if kind == "error" else kind
        counts[kind] = str(int(counts[kind] or 0) + int(count))
    figures = [f"{figure:.0f}" for figure in (outcome.wall_seconds, outcome.cpu_seconds, outcome.megabytes)]
    print_row([name, command, *figures, *counts.values(), outcome.status])
    for line in re.findall(r"^(?:SKIPPED|FAILED|ERROR) .*", outcome.output, re.MULTILINE):
        print(f"    {line[:200]}", flush=True)


def print_row(cells: list[str]) -> None:
    """Print a row of the table."""
    print("|", " | ".join(cells), "|", flush=True)


def call(*command: str) -> None:
    """Run a command whose output only matters if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}")


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _received_bytes() -> int:
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    return sum(int(line.split(":")[1].split()[0]) for line in lines if line.split(":")[0].strip() != "lo")


if __name__ == "__main__":
    main()
