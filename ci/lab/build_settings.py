"""The gain of each setting of a build profile: graveler's single-threaded CPU stages, built with it and without.

OUT.json is baselines/MACHINE/graveler_build_settings.json, which `ratchet tables graveler` reads. It builds one program
per setting in build/settings (profile_settings/CMakeLists.txt), and compares each with the plain one by `ratchet
compare --exec`. The file is a results file of ratchet with rows named STAGE/build:NAME.

Exit codes: 0 for any result; 2 if something fails, or the sources are not a commit; 3 if a row could not be measured
undisturbed or for long enough. Only exit code 0 writes the file.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from . import layout
from .running import ROOT, Failed, build, configure, gate_result, run

SOURCES = Path(__file__).resolve().parent / "profile_settings"
SETTINGS = ("lto", "one_unit", "native", "all_three")  # its programs


def compare(options, setting):
    """The results of `ratchet compare` for the rows of this program."""
    plain, other = options.programs / "plain", options.programs / setting
    rows = run([other, "--benchmark_list_tests"]).stdout.split()
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [options.ratchet, "compare", "--exec", plain, "--exec", other, "--by-time", "--filter",
             "^(" + "|".join(map(re.escape, rows)) + ")$", "--tolerance", str(options.tolerance),
             "--budget-s", str(options.budget_s), "--results", results], cwd=ROOT, stdout=sys.stderr)
        if done.returncode not in (0, 1, 3):  # slower is a valid result
            raise Failed(f"comparing {setting} with plain ended with {done.returncode}")
        return gate_result(Path(results))


def fit_to_store(setting, result):
    """The judged rows by their names in the file; refuses rows whose launches tables would flag."""
    judged = {}
    for name, row in result["context"]["ratchet"]["rows"].items():
        of_row = [launch for launch in result["benchmarks"] if launch["name"] == name]
        if all(launch.get("preempted_kept") == 1 for launch in of_row):
            raise Failed(f"{name} of {setting}: preempted in every launch; repeat it on a quiet machine", 3)
        bounds = [row.get(end, row.get(f"plain_{end}")) for end in ("low", "high")]  # those that decided, else its own
        if None in bounds:
            raise Failed(f"{name} of {setting}: too few pairs for an interval; use a larger --budget-s", 3)
        stored = f"{name}/build:{setting}"
        judged[stored] = {key: value for key, value in row.items() if key not in ("reason", "reasons")}
        judged[stored].update(low=bounds[0], high=bounds[1])
    return judged


def context_of(result, rows):
    """The context with machine, build and time, without names of local files."""
    about = result["context"]["ratchet"]
    if about["revision"] == "unknown" or about["revision"].endswith("-dirty"):
        raise Failed(f"the programs' revision is {about['revision']}; commit first, so that the file names a commit")
    return {**result["context"], "ratchet": {"format": about["format"], "revision": about["revision"], "rows": rows}}


def measure(options):
    """The content of the file."""
    rows = {}
    for setting in options.settings:
        result = compare(options, setting)
        rows.update(fit_to_store(setting, result))
        context = context_of(result, rows)
    return {"context": context, "benchmarks": []}


def add_options(parser):
    parser.add_argument("out", type=Path, metavar="OUT.json")
    parser.add_argument("--only", dest="settings", action="append", choices=SETTINGS, help="one of the settings")
    parser.add_argument("--budget-s", type=float, default=240, help="seconds per comparison, at most (240)")
    parser.add_argument("--tolerance", type=float, default=0.02, help="largest difference that is the same (0.02)")
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="of the built programs")
    parser.add_argument("--ratchet", type=Path, default=ROOT / "build/perf/ratchet", metavar="PROGRAM")


def run_experiment(options):
    options.settings = options.settings or SETTINGS
    if not options.ratchet.is_file():
        raise Failed(f"{options.ratchet} does not exist; build it with ci/build ratchet, or name it with --ratchet")
    if not options.programs:
        options.programs = ROOT / "build/settings"
        built_elsewhere = (options.programs / "plain").exists() and not (options.programs / "CMakeCache.txt").exists()
        if not built_elsewhere:
            configure(SOURCES, options.programs)
            build(options.programs, "plain", *options.settings)
    layout.write(options.out, measure(options))
