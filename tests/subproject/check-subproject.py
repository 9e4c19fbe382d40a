# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds and runs a project that has this one as its subproject.

Usage: check-subproject.py MESON SOURCE_ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main() -> None:
    meson, source_root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="strideweave-subproject-") as scratch:
        project = pathlib.Path(scratch) / "project"
        shutil.copytree(pathlib.Path(__file__).parent, project)
        (project / "subprojects").mkdir()
        (project / "subprojects" / "strideweave").symlink_to(source_root)
        build = pathlib.Path(scratch) / "build"
        # Optimizing would only take time, and so would what debuggers need.
        subprocess.run([meson, "setup", "-Doptimization=0", "-Ddebug=false", build, project], check=True)
        subprocess.run([meson, "compile", "-C", build], check=True)
        subprocess.run([meson, "test", "-C", build, "--no-rebuild", "--verbose"], check=True)


if __name__ == "__main__":
    main()
