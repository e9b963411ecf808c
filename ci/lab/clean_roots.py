"""From nothing to a first verdict in clean roots, by the commands that README.md prints, and how long each step takes.

  run [ROOT...]   makes each root (debootstrap), runs the commands in it, appends their seconds to --record; all roots
                  by default, and those that cannot be made here are named
  table           writes the last record of each root between the marks of perf/guide/first_gate.md
  check           whether that table is current

Not timed, since a user has it: the system itself, the benchmark program (ci/examples/benchmarks/, with its libraries),
a clone of this repository. `no-compiler` and `aarch64` get the program alone, packed as ci/lab release packs it
(--parts: its FOLDER, of the first). In debian-12-gcc-11 and debian-13-gcc-13 README's packages have another compiler,
those of Ubuntu 22.04 and 24.04, for machines that reach Debian's archive alone.

Exit codes: 0; 1 a command fails in a root, takes longer than --most, or the table is stale; 77 a root could not be
made: not root, no debootstrap, an archive that does not answer.
"""
import datetime
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from . import aarch64
from .empty_root import BENCHMARKS, COMPILER, Root, must, must_hold, need
from .running import CACHE, ROOT, Failed, append, build, circumstances, configure, marked, printed_lines, run, version


class System(NamedTuple):
    suite: str
    compiler: str = "g++"  # its package; none where README's commands do not build
    processor: str = os.uname().machine
    about: str = ""        # for the page


ROOTS = {"debian-12": System("bookworm"), "debian-13": System("trixie"),
         "debian-12-gcc-11": System("bookworm", "g++-11", about="Ubuntu 22.04's compiler"),
         "debian-13-gcc-13": System("trixie", "g++-13", about="Ubuntu 24.04's compiler"),
         "ubuntu-22.04": System("jammy"), "ubuntu-24.04": System("noble"),
         "no-compiler": System("bookworm", "", about="Debian 12, the packed program"),
         "aarch64": System("bookworm", "", "aarch64", "Debian 12 by QEMU, the packed program")}
UBUNTU, UBUNTU_KEYS = ("jammy", "noble"), Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
STEPS = ("packages", "install", "verdict")
PAGE = ROOT / "perf/guide/first_gate.md"


def say(words):
    print(f"clean-roots: {words}", file=sys.stderr, flush=True)


def foreign(name):
    return ROOTS[name].processor != os.uname().machine


def system(name):
    """The folder of a root's system, made once."""
    suite = ROOTS[name].suite
    if foreign(name):
        kept = CACHE / "roots" / f"{suite}-arm64"
        aarch64.make_root(kept, ["bash", "coreutils", "gzip", "tar", "libbenchmark1debian"])
        return kept
    kept = CACHE / "roots" / suite
    if kept.is_dir():
        return kept
    say(f"making {name} ({suite}) in {kept}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as made:
        # An older debootstrap knows newer releases of Ubuntu by the script of all of them; the mirror is the default.
        scripts = Path("/usr/share/debootstrap/scripts")
        script = [] if (scripts / suite).exists() else ["", scripts / "gutsy"]
        try:
            if suite in UBUNTU and not UBUNTU_KEYS.exists():
                raise Failed(f"the keys of Ubuntu's archive are not installed ({UBUNTU_KEYS})")
            run(["debootstrap", "--variant=minbase", suite, f"{made}/root", *script], brief=True)
        except Failed as failed:
            raise Failed(f"skipped: {name} cannot be made here: {failed}", 77) from failed
        os.rename(f"{made}/root", kept)
    return kept


def readme(mark):
    return printed_lines(ROOT / "README.md", mark)


def steps(name):
    """Of each step the commands that README.md prints, for the compiler and the processor of the root."""
    install, *use = readme("use")
    about = ROOTS[name]
    if not about.compiler:
        unpack = [line.replace("linux-x86_64", f"linux-{about.processor}") for line in readme("alone")]
        return {"packages": [], "install": unpack, "verdict": use}
    packages, *environment = readme("needs")
    must(packages.startswith("apt-get ") and install.startswith("pip install"), "README.md begins with apt-get and pip")
    if about.compiler != "g++":
        must(" g++ " in packages, "README.md's packages include g++")
        packages = packages.replace(" g++ ", f" {about.compiler} ")
        environment.append(f"export CXX={about.compiler}")
    return {"packages": [packages], "install": [*environment, install], "verdict": use}


def environment():
    """What leads to the package archives from here, and nothing else."""
    kept = {key: value for key, value in os.environ.items()
            if re.match(r"PIP_(?!FIND_LINKS)|(https?|no)_proxy$", key, re.I)}
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
            "DEBIAN_FRONTEND": "noninteractive", **kept}


def furnish(root, name, options, work):
    """Puts into the root what a user has: a network, a benchmark program, a clone or the packed program."""
    root.prepare()
    own = Path("/usr/local/share/ca-certificates")  # a package that the commands install makes the others anew
    for file in ("/etc/resolv.conf", os.environ.get("PIP_CERT", ""), *map(str, sorted(own.glob("*.crt")))):
        if Path(file).is_file():
            (root.path / file.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, root.path / file.lstrip("/"))
    theirs = root.path / "theirs"
    theirs.mkdir()
    if foreign(name):
        run(["aarch64-linux-gnu-g++", f"--sysroot={aarch64.libraries()}", "-O2", "-std=c++17", BENCHMARKS, "-o",
             theirs / "my_bench", "-lbenchmark", "-lpthread"])
    else:
        program_with_libraries(theirs, work)
    if ROOTS[name].compiler:
        archive = work / "sources.tar"
        run(["git", "-C", ROOT, "archive", "--prefix=ratchet/", "-o", archive, "HEAD"])
        run(["tar", "-xf", archive, "-C", theirs])
        return
    shutil.copy2(packed_program(name, options, work), theirs)


def program_with_libraries(theirs, work):
    """The example, as my_bench, with a loader and libraries of its own: those of the system may be older."""
    compiled, linked = work / "my_bench.o", work / "my_bench"
    run([COMPILER, "-O2", "-std=c++17", "-c", BENCHMARKS, "-o", compiled])
    libraries = [compiled, "-lbenchmark", "-lpthread"]
    run([COMPILER, *libraries, "-o", linked])
    (theirs / "lib").mkdir()
    loader = ""
    for path in re.findall(r"/[^ \n]*", run(["ldd", linked]).stdout):
        shutil.copy(path, theirs / "lib")
        loader = Path(path).name if "/ld-" in path else loader
    run([COMPILER, *libraries, "-o", theirs / "my_bench", "-Wl,-rpath,/theirs/lib",
         f"-Wl,--dynamic-linker=/theirs/lib/{loader}"])


def packed_program(name, options, work):
    packed = f"ratchet-{version()}-linux-{ROOTS[name].processor}"
    if options.parts and not foreign(name):
        return options.parts / f"{packed}.tar.gz"
    say("packing the program alone")
    cross = aarch64.settings(aarch64.libraries()) if foreign(name) else []
    configure(ROOT, work / "alone", "-DRATCHET_TOOL_ONLY=ON", "-DRATCHET_STATIC=ON", *cross)
    build(work / "alone")
    run(["cpack", "-G", "TGZ", "-B", work, "-D", f"CPACK_PACKAGE_FILE_NAME={packed}"], tree=work / "alone")
    return work / f"{packed}.tar.gz"


def seconds_in(name, options, work):
    """What each step took."""
    if foreign(name):
        root = aarch64.EmulatedRoot(work, aarch64.Emulation(aarch64.libraries()))
    else:
        root = Root(work)
    run(["cp", "-a", f"{system(name)}/.", root.path])
    furnish(root, name, options, work)
    lines = ["set -e", "cd /theirs", "at() { echo \"at $1 $(date +%s.%N)\"; }", "at begin"]
    for step, commands in steps(name).items():
        lines += [*commands, f"at {step}"]
    (root.path / "theirs/commands").write_text("\n".join(lines) + "\n")
    words = ["env", "-i", *(f"{key}={value}" for key, value in environment().items())]
    said = root.run(*words, "bash", "/theirs/commands")
    if options.verbose:
        print(said)
    must_hold(said, "NOTHING DECIDED (exit 0)", "identical work")
    times = [float(each) for each in re.findall(r"^at \S+ (\S+)$", said, re.M)]
    return {f"{step}_s": round(after - before, 1)
            for step, before, after in zip(STEPS, times[:-1], times[1:], strict=True)}


def run_roots(options):
    if os.getuid() != 0:
        raise Failed("skipped: only root can enter a clean root", 77)
    need("debootstrap", "git", "cmake", "ninja", "cpack", "unshare", "chroot", COMPILER)
    unknown = set(options.root) - set(ROOTS)
    if unknown:
        raise Failed(f"there is no root {', '.join(sorted(unknown))}; choose from {', '.join(ROOTS)}")
    code = 0
    for name in options.root or ROOTS:
        try:
            with tempfile.TemporaryDirectory() as work:
                took = seconds_in(name, options, Path(work))
        except Failed as failed:
            say(failed)
            code = max(code, 1) if failed.code != 77 else code or 77
            continue
        commit = run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]).stdout.strip()
        append(options.record, {"root": name, **took, "version": version(), "commit": commit, **circumstances()})
        if sum(took.values()) > options.most:
            say(f"{name} took {sum(took.values()):.0f} s, more than {options.most:g}")
            code = 1
    return code


def table(record):
    """The last record of each root that has one; nothing where there is none."""
    last = {}
    if not record.exists():
        return ""
    for line in record.read_text().splitlines():
        each = json.loads(line)
        last[each["root"]] = each
    lines = [["system", "packages", "`pip install`, or unpack", "measure, accept, gate", "in all"], ["---"] * 5]
    for name, each in sorted(last.items()):
        took = [each[f"{step}_s"] for step in STEPS]
        about = ROOTS[name].about
        shown = name + (f" ({about})" if about else "")
        lines.append([shown, *(f"{round(value)} s" for value in (*took, sum(took)))])
    newest = max(last.values(), key=lambda each: datetime.datetime.fromisoformat(each["date"]))
    about = f"On {newest['machine']}, the last at {newest['commit']}."
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n\n" + about


def add_options(parser):
    parser.add_argument("what", choices=["run", "table", "check"])
    parser.add_argument("root", nargs="*", metavar="ROOT", help=", ".join(ROOTS))
    parser.add_argument("--record", type=Path, default=ROOT / "baselines/clean_roots.jsonl", metavar="FILE",
                        help="JSON lines, one a root and run")
    parser.add_argument("--parts", type=Path, metavar="FOLDER", help="of ci/lab release, with the packed program")
    parser.add_argument("--most", type=float, default=180, metavar="S", help="that all steps of a root may take (180)")
    parser.add_argument("--verbose", action="store_true", help="show what the commands say")


def run_experiment(options):
    if options.what == "run":
        return run_roots(options)
    if not marked(PAGE, "clean-roots", table(options.record), options.what == "table"):
        if options.what == "check":
            say("the table is stale; run python3 ci/lab clean-roots table")
            return 1
    return 0
