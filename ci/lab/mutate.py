"""Breaks the stages and perf on purpose, one fault at a time, and demands that a test fails each time.

  [--backend B] [--only REGEX] [--part K/N] [--shards N]  builds and runs here, or the K-th of N parts
  --backend cuda --build-only DIR                         builds here, for another machine
  --run-built DIR [--only REGEX] [--part K/N] [--shards N]
                                                          runs what --build-only left in DIR
  --check                                                 whether every row of every backend fits the sources; builds
                                                          and runs nothing

The mutations are the rows of correctness/FAMILY/negative/mutations.tsv, and those of perf of
correctness/perf/mutations.tsv, tab-separated; '#' starts a comment:

  origin       the group of people who wrote it (correctness/README.md, "Mutations"); names of all but the
               first begin with it, so that --only third_ takes the third
  name         unique; [a-z0-9_]
  stage        the registered stage whose tests must notice, as in `ratchet list`; its file is
               kernels/FAMILY/BACKEND_NN_IDEA.*, its family's program correctness/FAMILY_test
  by           tests      the tests of that stage must fail
               family     they, or else those of the family's program that are of no stage: of what
                          several stages share
               racecheck  they, or else compute-sanitizer --tool racecheck on its small run
               gpu        as tests, where OpenCL has a GPU: a CPU's runs work-items one after the other
                          between barriers, and puts some of its own into loops
               generators the tests of what makes random words for all families must fail, on a CPU
               ranks      the tests that run the ranks of a job on threads must fail, on a CPU: for stages
                          that need GPUs
               contract   the tests of what every stage's parameters go through must fail, on a CPU
               paths      the stage's check must fail on an instruction set that it can be told to take
               PROGRAM    another test program of the family must fail, on a CPU: one that runs the
                          kernels on an emulated grid, where a fault shows that waits for an order
                          of blocks which a device seldom has (officers_blocks_emulated_test).
                          Some need the CUDA toolkit to build: those are of --backend cuda, and need no GPU
               Of perf, which has no column stage: one or more test programs, one of which must
               fail, on a CPU. The first that fails ends it: name the quickest first
  file         the source to change, from the root of the repository
  search       text that occurs in it exactly once; \\n, \\t and \\\\ are newline, tab, backslash
  replacement  what to put there

A line, or comment, of these names says in which order the columns of the rows after it come.

To add a mutation, add a row. Exit status: 0 all caught; 1 one survived, or its search text is not
there exactly once; 2 the unmutated program fails or does not build, or bad usage; 77 no stage can
run here.
"""

import csv
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from .running import ROOT, Failed, build, configure
from .sources import Misfit, changed_for_now, copied_tree, edited, replaced, stage_file

UNMUTATED = "unmutated"
GENERATORS = "Aes.*:ChaCha.*:CounterStream.*:Generators.*:SplitMix.*:Wyrand.*:Xoshiro.*"
# A test of a stage has its name after a slash; those of pages need more than the family's program.
OF_ALL_FAMILIES = {
    "generators": GENERATORS,
    "contract": "ParametersOfAStage.*:ParseUnsigned.*:Registry.*",
}
# Of perf, which that program shares with the contract and the registry.
OF_PERF = ("Bench*:Callgrind.*:Counter*:Cubin.*:Disassembly.*:Identical.*:Metrics*:Names.*:ResourceUsage.*:"
           "*RowDigest.*:Work*")
OF_NO_STAGE = "*-*/*:Report.*:*Figures.*:*Tables.*:HeatCurves.*"
RANKS = "*Ranks*.*-*/*"
FIELDS = ["name", "stage", "by", "file", "search", "replacement"]
STAGE, ORIGIN = "stage", "origin"
ORIGINS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]
PERF_PROGRAM = re.compile(r"perf_\w+_test|stages_test")
MANIFEST = "mutations.tsv"
PROGRAMS, MODULES = "bin", "lib"  # of one mutant


class Mutation:
    def __init__(self, fields):
        self.fields = fields  # by column
        self.name, self.by, self.file = (fields[column] for column in ("name", "by", "file"))
        self.search, self.replacement = (unescape(fields[column]) for column in FIELDS[4:])
        self.origin = fields.get(ORIGIN, "")
        self.edit = replaced(self.file, (self.search, self.replacement))
        self.of_perf = STAGE not in fields
        if self.of_perf:
            self.take_perf()
        else:
            self.take_stage(fields[STAGE])
        if not re.fullmatch(r"[a-z0-9_]+", self.name):
            raise Failed(f"'{self.name}' is not a name for a mutation")
        if self.origin not in ORIGINS:
            raise Failed(f"{self.name}: 'origin' must be one of {', '.join(ORIGINS)}, not '{self.origin}'")
        if self.origin != ORIGINS[0] and not self.name.startswith(f"{self.origin}_"):
            raise Failed(f"{self.name}: its name must begin with its origin, {self.origin}_")

    def take_perf(self):
        self.stage, self.backend = self.file.rpartition("/")[0], "cpu"
        self.programs = self.by.split()
        wrong = [program for program in self.programs if not PERF_PROGRAM.fullmatch(program)]
        if wrong or not self.programs:
            raise Failed(f"{self.name}: 'by' must be test programs of perf, not '{self.by}'")

    def take_stage(self, stage):
        self.stage = stage
        family, self.backend = self.stage.split("/")[:2]
        if self.backend == "hybrid":  # needs a GPU, too
            self.backend = "cuda"
        if self.backend == "mpi":  # its ranks are threads of a test
            self.backend = "cuda" if "gpus" in self.stage else "cpu"
        self.program = f"{family}_test"
        self.of_no_stage = None  # filter of the tests that must fail, where they are no stage's
        if self.by in OF_ALL_FAMILIES:
            self.program, self.backend = "stages_test", "cpu"
            self.of_no_stage = OF_ALL_FAMILIES[self.by]
        elif self.by == "ranks":
            self.backend, self.of_no_stage = "cpu", RANKS
        elif self.by == "paths":
            self.program, self.of_no_stage = "stages_test", f"*Paths.*/{self.stage.replace('/', '_')}"
        elif re.fullmatch(rf"{family}_\w+_test", self.by):
            self.program, self.of_no_stage = self.by, "*"
            self.backend = "cuda" if needs_toolkit(family, self.by) else "cpu"
        elif self.by not in ("tests", "family", "racecheck", "gpu"):
            raise Failed(f"{self.name}: 'by' must be tests, family, racecheck, gpu, generators, ranks, contract, paths "
                         f"or {family}_..._test, not '{self.by}'")
        self.programs = [self.program]

    def filter(self, test="*"):
        """GoogleTest filter for the tests of the stage."""
        return self.of_no_stage or f"*.{test}/{self.stage.replace('/', '_')}"

    def matches(self, only):
        return any(re.search(only, text) for text in (self.stage, self.name, self.origin))

    def complaint(self, tree=ROOT):
        """Why it does not fit the sources, or None."""
        try:
            if not self.of_perf:
                stage_file(tree, self.stage)
            edited(tree, self.file, self.edit)
        except Misfit as misfit:
            return str(misfit)
        return None


def needs_toolkit(family, program):
    """Whether an emulated kernel needs the CUDA toolkit's headers, without which its program has no test."""
    source = ROOT / "correctness" / family / "tests/emulated" / (program.removeprefix(f"{family}_") + ".cpp")
    return source.is_file() and "RATCHET_HAVE_CUDA" in source.read_text()


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def read_mutations(paths):
    mutations = [Mutation(fields) for path in paths for fields in read_rows(path)]
    names = [m.name for m in mutations]
    for name in set(names):
        if names.count(name) > 1:
            raise Failed(f"mutation '{name}' is there {names.count(name)} times")
    return mutations


def read_rows(path):
    """The fields of each row, by column."""
    columns = [*FIELDS]
    with open(path, newline="") as file:
        for number, fields in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if not fields:
                continue
            first = fields[0].lstrip("# ")
            if {*FIELDS} - {STAGE} <= {first, *fields[1:]} <= {*FIELDS, ORIGIN}:
                columns = [first, *fields[1:]]
            elif not fields[0].startswith("#"):
                if len(fields) != len(columns):
                    raise Failed(f"{path}:{number}: {len(columns)} fields expected, found {len(fields)}")
                yield dict(zip(columns, fields, strict=True))


def part(mutations, which):
    """The K-th of N parts, in their order, for those of a stage to share its unmutated run."""
    match = re.fullmatch(r"(\d+)/(\d+)", which)
    k, n = (int(number) for number in match.groups()) if match else (0, 0)
    if not 1 <= k <= n:
        raise Failed(f"--part takes K/N, 1 <= K <= N, not '{which}'")
    return mutations[len(mutations) * (k - 1) // n:len(mutations) * k // n]


class Tree:
    """A copy of the sources with a build of its own, in which one file at a time is changed."""

    def __init__(self, folder, backend, mutations):
        # The build inside, as in a checkout: a compiler cache that knows one knows the other.
        self.source, self.build = folder / "source", folder / "source/build"
        self.programs = sorted({program for mutation in mutations for program in mutation.programs})
        copied_tree(self.source)
        configure(self.source, self.build, f"-DRATCHET_CUDA={'ON' if backend == 'cuda' else 'OFF'}")

    def compile_unmutated(self):
        build(self.build, *self.programs)

    def program(self, name):
        return self.build / "correctness" / name

    def keep(self, to, programs):
        """Copies of the programs, and of what they load when they run, which they look for in ../lib."""
        (to / PROGRAMS).mkdir(parents=True, exist_ok=True)
        for program in programs:
            subprocess.run(["strip", "-o", to / PROGRAMS / program, self.program(program)], check=True)
        if (self.build / MODULES).is_dir():
            shutil.copytree(self.build / MODULES, to / MODULES, dirs_exist_ok=True)

    def with_mutation(self, mutation, act):
        """Calls `act` with each program while the mutation is in place and that is built, until it returns how the
        mutant was caught. Returns that or None, and why it could not be built."""
        why = mutation.complaint(self.source)
        if why:
            return None, why
        how = None
        with changed_for_now(self.source, mutation.file, mutation.edit):
            for program in mutation.programs:
                try:
                    build(self.build, program)
                except Failed as failed:  # a mutant that does not build is no mutant
                    return None, f"does not build:\n{failed}"
                how = how or act(program)
                if how:
                    break
        return how, None


def run_tests(program, filter, prefix=(), limit=1800, shards=1):
    """Exit status and output; status 124 where it did not end within `limit` seconds. The tests are
    shared out to `shards` processes at once, all of which end with the first that fails."""
    command = [*prefix, str(program), f"--gtest_filter={filter}", "--gtest_fail_fast"]
    environment = dict(os.environ, RATCHET_DATA_DIR=str(ROOT / "correctness"))
    until = time.monotonic() + limit
    with tempfile.TemporaryDirectory(prefix="ratchet_mutate_run_") as folder:
        running, outputs = [], []
        for shard in range(shards):
            if shards > 1:
                environment |= {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
            outputs.append(pathlib.Path(folder) / str(shard))
            with open(outputs[-1], "wb") as output:
                running.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                                env=environment))
        try:
            status = first_status(running, until)
        finally:
            for process in running:
                process.kill()
                process.wait()
        if status is None:
            return 124, f"did not finish within {limit:.0f} s"
        failed = [output for process, output in zip(running, outputs, strict=True)
                  if status != 0 and process.returncode == status]
        return status, "".join(output.read_text(errors="replace") for output in failed or outputs)


def first_status(running, until):
    """The exit status of the first process that fails, 0 once all passed, None at `until`."""
    while time.monotonic() < until:
        statuses = [process.poll() for process in running]
        for status in statuses:
            if status not in (None, 0):
                return status
        if None not in statuses:
            return 0
        time.sleep(0.05)
    return None


def opencl_has_gpu():
    """Whether any OpenCL platform here has a GPU, which is what a stage then takes."""
    gpu, most = 4, 64
    try:
        opencl = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    count, platforms = ctypes.c_uint(0), (ctypes.c_void_p * most)()
    if opencl.clGetPlatformIDs(most, platforms, ctypes.byref(count)) != 0:
        return False
    devices = ctypes.c_uint(0)
    return any(opencl.clGetDeviceIDs(ctypes.c_void_p(platform), ctypes.c_ulong(gpu), 0, None,
                                     ctypes.byref(devices)) == 0 and devices.value > 0
               for platform in platforms[:count.value])


def racecheck(program, mutation):
    return run_tests(program, mutation.filter("SmallRunForSanitizers"),
               ["compute-sanitizer", "--tool", "racecheck", "--error-exitcode", "9"], limit=600)


def perf_filter(program):
    """Suites that must run next to no other test are left out: others may be at work here."""
    return (OF_PERF if program == "stages_test" else "*") + "-*Alone*"


def perf_limits(tree, mutations, shards):
    """How long each program of perf's may take with a mutant; it must pass unmutated."""
    limits = {}
    for program in sorted({program for m in mutations if m.of_perf for program in m.programs}):
        start = time.monotonic()
        status, output = run_tests(tree.program(program), perf_filter(program), shards=shards)
        limits[program] = 60 + 10 * (time.monotonic() - start)
        if status != 0:
            raise Failed(f"the unmutated {program} fails: {first_failure(status, output)}")
    return limits


def first_failure(status, output):
    failed = re.search(r"\[  FAILED  \] (\S+)", output)
    if failed:
        return failed[1].split("/")[-1 if failed[1].count("/") < 2 else 1]
    if status == 124:
        return "its time limit"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


class Baselines:
    """Runs the unmutated program of a stage once: only what passes unmutated can catch a mutant."""

    def __init__(self, folder, shards):
        self.folder, self.known, self.shards = folder, {}, shards
        self.why = ""  # what it said of a stage that it cannot run
        self.limit = {}  # a mutant that takes ten times as long, and a minute, never ends

    def runnable(self, mutation):
        """False, and why, where this machine cannot run the stage; ends the script where tests fail."""
        key = (mutation.stage, mutation.by)
        if key not in self.known:
            self.known[key] = self.probe(mutation)
        self.why = self.known[key] or ""
        return self.known[key] is None

    def probe(self, mutation):
        """Why this machine cannot run the stage, or None."""
        if mutation.by == "gpu" and not opencl_has_gpu():
            return "OpenCL has no GPU here"
        start = time.monotonic()
        program = self.folder / mutation.program
        status, output = run_tests(program, mutation.filter(), shards=self.shards)
        self.limit[mutation.stage] = 60 + 10 * (time.monotonic() - start)
        if status != 0:
            raise Failed(f"the unmutated {mutation.stage} fails: {first_failure(status, output)}")
        if mutation.of_no_stage:
            return None if re.search(r"\[       OK \]", output) else "its tests are skipped, or there are none"
        if "SmallRunForSanitizers" not in output:
            raise Failed(f"{mutation.name}: {mutation.program} has no tests of {mutation.stage}")
        if not re.search(r"\[       OK \] \S*SmallRunForSanitizers/", output):
            said = re.search(r"SmallRunForSanitizers/.*\n.*Skipped\n(.+)", output)
            return said[1] if said else "its tests are skipped"
        if mutation.by == "racecheck":
            if not shutil.which("compute-sanitizer"):
                raise Failed(f"{mutation.name} needs compute-sanitizer, of the CUDA Toolkit")
            status, output = racecheck(program, mutation)
            if status != 0:
                raise Failed(f"the unmutated {mutation.stage} fails under racecheck:\n{output[-1000:]}")
        return None

    def limit_of_no_stage(self, mutation):
        """For the tests that are of no stage, which are run unmutated when the first mutant gets to them."""
        if mutation.program not in self.limit:
            start = time.monotonic()
            status, output = run_tests(self.folder / mutation.program, OF_NO_STAGE, shards=self.shards)
            self.limit[mutation.program] = 60 + 10 * (time.monotonic() - start)
            if status != 0:
                raise Failed(f"the unmutated {mutation.program} fails: {first_failure(status, output)}")
        return self.limit[mutation.program]


def judge(mutation, program, baselines):
    """How the mutant was caught, or None."""
    status, output = run_tests(program, mutation.filter(), limit=baselines.limit[mutation.stage],
                         shards=baselines.shards)
    if status != 0:
        return first_failure(status, output)
    if mutation.by == "family":
        status, output = run_tests(program, OF_NO_STAGE, limit=baselines.limit_of_no_stage(mutation),
                             shards=baselines.shards)
        if status != 0:
            return first_failure(status, output)
    if mutation.by == "racecheck" and racecheck(program, mutation)[0] != 0:
        return "racecheck"
    return None


class Score:
    """Of `total` mutants, and a line for each as it is judged."""

    def __init__(self, total):
        self.total, self.caught, self.survived, self.skipped = total, 0, 0, 0

    def say(self, mutation, verdict):
        done = self.caught + self.survived + self.skipped
        print(f"{done:3}/{self.total} {mutation.name:32} {mutation.stage:36} {verdict}", flush=True)

    def note(self, mutation, how):
        self.caught += how is not None
        self.survived += how is None
        verdict = f"caught by {how}" if how is not None else "SURVIVED"
        self.say(mutation, verdict)

    def broken(self, mutation, why):
        self.survived += 1
        self.say(mutation, f"BROKEN: {why}")

    def skip(self, mutation, why):
        self.skipped += 1
        self.say(mutation, f"cannot run on this machine: {why}")

    def exit_status(self):
        print(f"{self.caught} caught, {self.survived} survived or broken, {self.skipped} not run")
        if self.survived:
            return 1
        return 0 if self.caught else 77


def check(mutations):
    score = Score(len(mutations))
    for mutation in mutations:
        why = mutation.complaint()
        if why:
            score.broken(mutation, why)
    print(f"{len(mutations)} mutations, {score.survived} broken")
    return 1 if score.survived else 0


def run_here(mutations, backend, shards):
    score = Score(len(mutations))
    with tempfile.TemporaryDirectory(prefix="ratchet_mutate_") as folder:
        folder = pathlib.Path(folder)
        tree = Tree(folder, backend, mutations)
        tree.compile_unmutated()
        tree.keep(folder / UNMUTATED, tree.programs)
        baselines = Baselines(folder / UNMUTATED / PROGRAMS, shards)
        limits = perf_limits(tree, mutations, shards)

        def judged(mutation, program):
            if not mutation.of_perf:
                return judge(mutation, tree.program(program), baselines)
            status, output = run_tests(tree.program(program), perf_filter(program), limit=limits[program],
                                       shards=shards)
            return None if status == 0 else first_failure(status, output)

        for mutation in mutations:
            if not mutation.of_perf and not baselines.runnable(mutation):
                score.skip(mutation, baselines.why)
                continue
            how, why = tree.with_mutation(mutation, lambda program, mutation=mutation: judged(mutation, program))
            if why:
                score.broken(mutation, why)
            else:
                score.note(mutation, how)
    return score.exit_status()


def build_only(mutations, backend, to):
    score = Score(len(mutations))
    with tempfile.TemporaryDirectory(prefix="ratchet_mutate_") as folder:
        tree = Tree(pathlib.Path(folder), backend, mutations)
        tree.compile_unmutated()
        tree.keep(to / UNMUTATED, tree.programs)
        for mutation in mutations:
            _, why = tree.with_mutation(
                mutation, lambda program, mutation=mutation: tree.keep(to / mutation.name, [program]))
            if why:
                score.broken(mutation, why)
            else:
                print(f"{mutation.name:32} built", flush=True)
    with open(to / MANIFEST, "w") as manifest:
        manifest.write("# " + "\t".join([*FIELDS, ORIGIN]) + "\n")
        for mutation in mutations:
            manifest.write("\t".join(mutation.fields.get(column, "") for column in [*FIELDS, ORIGIN]) + "\n")
    return 1 if score.survived else 0


def run_built(built, only, which, shards):
    mutations = part([m for m in read_mutations([built / MANIFEST]) if m.matches(only)], which)
    score = Score(len(mutations))
    baselines = Baselines(built / UNMUTATED / PROGRAMS, shards)
    for mutation in mutations:
        program = built / mutation.name / PROGRAMS / mutation.program
        if not program.is_file():
            score.broken(mutation, f"{program} is missing")
        elif not baselines.runnable(mutation):
            score.skip(mutation, baselines.why)
        else:
            score.note(mutation, judge(mutation, program, baselines))
    return score.exit_status()


def add_options(parser):
    parser.add_argument("--backend", choices=["cpu", "opencl", "cuda"], default="cpu")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="mutations whose stage, name or origin it is found in")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of these")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--run-built", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--shards", type=int, default=1, metavar="N",
                        help="processes that share the tests of a mutant out, where there are CPUs for them")
    parser.add_argument("--check", action="store_true")


def run_experiment(options):
    if options.run_built:
        return run_built(options.run_built.resolve(), options.only, options.part, options.shards)
    correctness = ROOT / "correctness"
    mutations = read_mutations([*sorted(correctness.glob("*/negative/mutations.tsv")),
                                correctness / "perf/mutations.tsv"])
    if options.check:
        return check(mutations)
    mutations = [m for m in mutations
                 if m.backend == options.backend and m.matches(options.only)]
    mutations = part(mutations, options.part)
    if not mutations:
        raise Failed(f"no mutation of backend {options.backend} matches '{options.only}'")
    if options.build_only:
        return build_only(mutations, options.backend, options.build_only.resolve())
    return run_here(mutations, options.backend, options.shards)
