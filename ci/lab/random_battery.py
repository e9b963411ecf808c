"""The raw words of a generator through a battery of tests: dieharder, or PractRand.

  dieharder GENERATOR [options] [-- DIEHARDER_OPTIONS]
  practrand GENERATOR [options] [-- RNG_TEST_OPTIONS]

GENERATOR is one of `rawwords --list`. With --interleave T the words of T neighbouring streams alternate, as T
neighbouring threads draw them. With --length L, another stream follows after L words of each. --output writes the
battery's report, with the summary as its last line.

dieharder: the whole battery (dieharder -a) takes at least an hour; options after -- replace it, for instance `-- -d 0`
for one test. For a good generator about one result in a hundred is WEAK (p below 0.005 or above 0.995), and almost
none is FAILED (p below 1e-6).

practrand: it tests 64 MB, then doubles the size up to --size (64GB takes a core about ten minutes), or until a test
fails. Options after -- go to its RNG_test, for instance `-- -te 1`. RNG_test is not packaged: it is found in the PATH
or by $PRACTRAND. For a good generator about one result in a few hundred is unusual, and none is FAIL (p below about
1e-12).

Exit codes: 0 no test failed; 1 one did; 2 could not run.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .running import ROOT, Failed, build, configure, run

TAKES_REST = True


def dieharder(options):
    return ["dieharder", *(options.rest or ["-a"]), "-g", "200"]


def dieharder_summary(options, report):
    counts = {word: len(re.findall(rf"\|\s*{word}\s*$", report, re.M)) for word in ("PASSED", "WEAK", "FAILED")}
    if not sum(counts.values()):
        raise Failed("no result in dieharder's output")
    words = " ".join(generator_options(options)[2:])
    return f"{options.generator} {words}: " + ", ".join(f"{n} {word.lower()}" for word, n in counts.items()), \
        counts["FAILED"]


def practrand(options):
    return [os.environ.get("PRACTRAND", "RNG_test"), "stdin32", "-tlmin", "64MB", "-tlmax", options.size,
            *options.rest]


def practrand_summary(options, report):
    reached = re.findall(r"^length= *(.*) \(2\^", report, re.M)
    if not reached:
        raise Failed("no result in RNG_test's output")
    lines = report.splitlines()
    failed, unusual = (sum(word in line for line in lines) for word in ("FAIL", "unusual"))
    suspicious = sum("suspicious" in line.lower() for line in lines)
    words = " ".join(generator_options(options)[1:])
    return f"{words}: {reached[-1]}, {failed} failed, {suspicious} suspicious, {unusual} unusual", failed


# The command, the summary and the package of each.
BATTERIES = {
    "dieharder": (dieharder, dieharder_summary, "dieharder is missing (package dieharder)"),
    "practrand": (practrand, practrand_summary, "RNG_test of PractRand is missing; put it in the PATH, or name it: "
                                                "PRACTRAND=/path/to/RNG_test"),
}


def generator_options(options):
    words = ["--generator", options.generator]
    for name in ("seed", "stream", "interleave", "length"):
        if getattr(options, name) is not None:
            words += [f"--{name}", getattr(options, name)]
    return words


def judged(command, words, program):
    """The battery's output, which is also shown at once."""
    lines = []
    # rawwords is killed by the closed pipe when the battery has read enough; only the battery's status counts.
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
        with subprocess.Popen(command, stdin=source.stdout, stdout=subprocess.PIPE, text=True) as battery:
            source.stdout.close()
            for line in battery.stdout:
                lines.append(line)
                sys.stdout.write(line)
                sys.stdout.flush()
        source.kill()
    if battery.returncode != 0:
        raise Failed(f"{command[0]} ended with an error")
    return "".join(lines)


def add_options(parser):
    parser.add_argument("battery", choices=BATTERIES)
    parser.add_argument("generator", metavar="GENERATOR")
    for name in ("seed", "stream", "interleave", "length"):
        parser.add_argument(f"--{name}", metavar="N")
    parser.add_argument("--size", default="64GB", help="of practrand: a number with MB, GB or TB (64GB)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/random-battery", metavar="DIR")
    parser.add_argument("--output", type=Path, metavar="FILE")


def run_experiment(options):
    command, summary, missing = BATTERIES[options.battery]
    if not re.fullmatch(r"[1-9][0-9]*[MGT]B", options.size):
        raise Failed(f"--size is '{options.size}', give a number with MB, GB or TB")
    if not shutil.which(command(options)[0]):
        raise Failed(missing)
    if not (options.build / "build.ninja").exists():
        configure(ROOT, options.build, "-DRATCHET_CUDA=OFF")
    build(options.build, "rawwords")
    program, words = options.build / "correctness/rawwords", generator_options(options)
    run([program, *words, "--words", "1"], brief=True)  # reports bad options, instead of an empty pipe
    report = judged(command(options), words, program)
    line, failed = summary(options, report)
    print(line)
    if options.output:
        options.output.write_text(f"{report}{line}\n")
    return 1 if failed else 0
