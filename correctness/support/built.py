"""The sources and the build that a test in Python is about."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = [pathlib.Path.cwd().parent, ROOT / "build"]  # ctest runs in the build's own folder correctness/
BUILD = next((build for build in BUILDS if (build / "CTestTestfile.cmake").exists()), BUILDS[0])


def need(*programs):
    """Skips the whole test without these programs of the build."""
    for program in programs:
        if not (BUILD / program).exists():
            print("needs", program, "of a build")
            sys.exit(77)
