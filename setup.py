"""Build steps that pyproject.toml cannot express: the compiled scan, and copying the page that is built already."""

import re
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
# Source maps stay where the page is developed.
SOURCE_MAP = re.compile(rb"\n?(?://|/\*)# sourceMappingURL=[^\n]*\n?$")


class CopyPage(build_py):
    """Copies the Python packages and what the browser loads: index.html, the mark, and the folder built."""

    def run(self) -> None:
        """Copy the Python packages, then the page."""
        super().run()
        if self.editable_mode:
            return
        page = Path(self.build_lib) / "toposcope" / "web"
        for source in [WEB / "index.html", WEB / "mark.svg", *(WEB / "built").iterdir()]:
            if source.suffix != ".map":
                target = page / source.relative_to(WEB)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(SOURCE_MAP.sub(b"", source.read_bytes()))


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
    cmdclass={"build_py": CopyPage},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if HAS_LIMITED_API else {},
)
