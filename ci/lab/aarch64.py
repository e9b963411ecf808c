"""Builds everything but CUDA for aarch64 with a cross compiler and runs it by QEMU, in namespaces of its own.

  python3 ci/lab aarch64 --root                  a root of Debian's packages for arm64, made once (325 MB, 10 s)
  python3 ci/lab aarch64 ratchet life_test       the same, and builds these targets in build-aarch64/
  python3 ci/lab aarch64 --test REGEX TARGET...  the same, and runs the tests whose names match
  python3 ci/lab aarch64 --first-verdict         from an empty root for arm64 to a verdict there: installs the tool,
                                                 compiles a program and gates it, all by QEMU; the time of each step

The kernel starts programs for aarch64 by QEMU (binfmt_misc) inside namespaces that end with the command, so that
nothing of the machine changes. QEMU has no ptrace, no perf and no Callgrind; what needs them is skipped by name. QEMU
says nothing about speed: no figure is stored.

Exit codes: 0 all passed, 1 a test failed, 2 it could not be built, 77 it cannot be tried here (a program is missing, or
the kernel has no binfmt_misc in namespaces, which began with Linux 6.7).
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .empty_root import BENCHMARKS, Root, accept_in_root, gate_in_root, must, must_hold, need
from .running import CACHE, ROOT, Failed, build, configure, run, write_whole

BUILD = ROOT / "build-aarch64"
# What ci/setup installs of libraries; MPI is left out, whose jobs would run their own programs by QEMU.
LIBRARIES = ["libc6-dev", "libstdc++-12-dev", "libgcc-12-dev", "libgomp1", "libcli11-dev", "nlohmann-json3-dev",
             "libfmt-dev", "libboost-dev", "libelf-dev", "libsqlite3-dev", "libpq-dev", "libbenchmark-dev",
             "libgtest-dev", "libhwy-dev", "libtbb-dev", "librandom123-dev", "ocl-icd-opencl-dev", "opencl-headers",
             "zlib1g-dev"]
# Of programs for the cross compiler's processor: the first 20 bytes of a 64-bit little-endian ELF file of machine 183.
MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
REGISTER = ('mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && '
            'printf %s "$0" >/proc/sys/fs/binfmt_misc/register && exec "$@"')
PACKAGES = ["bash", "coreutils", "g++", "libbenchmark-dev", "libfmt9", "libelf1", "libsqlite3-0"]  # of a user
SUITE = "bookworm"  # of the libraries that the cross compiler of the same release links


def say(words):
    print(f"aarch64: {words}", file=sys.stderr, flush=True)


def add_options(parser):
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="what to build (ratchet)")
    parser.add_argument("--root", action="store_true", help="only make the root with the libraries")
    parser.add_argument("--test", metavar="REGEX", help="run the tests whose names match")
    parser.add_argument("--first-verdict", action="store_true", help="use the tool in an empty root, with times")


def make_root(folder, packages, sources=None):
    """A root with Debian's packages for arm64, extracted and not configured: no program of theirs runs."""
    if (folder / "usr/lib/aarch64-linux-gnu").is_dir():
        return
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.parent.mkdir(parents=True, exist_ok=True)
    listed = Path("/etc/apt/sources.list.d/debian.sources")
    run(["mmdebstrap", "--quiet", f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", "--variant=extract",
         "--architectures=arm64", "--skip=check/qemu", f"--include={','.join(packages)}", SUITE, new,
         *([listed] if listed.exists() else [])])
    new.rename(folder)


class Emulation:
    """Namespaces in which programs for aarch64 start by QEMU."""

    def __init__(self, root):
        qemu = shutil.which("qemu-aarch64-static")
        self.words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", REGISTER,
                      f":ratchet-aarch64:M::{MAGIC}:{MASK}:{qemu}:F"]
        self.env = {**os.environ, "QEMU_LD_PREFIX": str(root)}
        if subprocess.run([*self.words, "true"], capture_output=True).returncode != 0:
            raise Failed("skipped: no binfmt_misc in namespaces here (Linux 6.7 has it)", 77)

    def follow(self, *command, tree=None, env=None):
        """Runs it with its output shown; its exit code."""
        return subprocess.call([*self.words, *(str(word) for word in command)], cwd=tree,
                               env={**self.env, **(env or {})})


def compilers(folder, root):
    """A folder for PATH in which compilers and binutils are those of aarch64, for tests that compile."""
    folder.mkdir(exist_ok=True)
    for name, tool in {"c++": "g++", "g++": "g++", "cc": "gcc", "gcc": "gcc"}.items():
        write_whole(folder / name, f'#!/bin/sh\nexec aarch64-linux-gnu-{tool} --sysroot={root} -Wno-psabi "$@"\n')
        (folder / name).chmod(0o755)
    for name in ("objdump", "ar", "nm", "objcopy", "strip"):
        write_whole(folder / name, f'#!/bin/sh\nexec aarch64-linux-gnu-{name} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


class EmulatedRoot(Root):
    """An empty root for arm64, in which there is only what is put there, and whose programs QEMU runs."""

    def __init__(self, work, emulation):
        super().__init__(work)
        self.emulation = emulation

    def prepare(self):
        for folder in ("proc", "tmp", "dev", "baselines"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)

    def run(self, *words, fine=(0,)):
        script = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"'
        env = {"QEMU_LD_PREFIX": "", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}
        return run([*self.emulation.words, "sh", "-c", script, self.path, self.path, *words], fine, env=env).stdout

    def third_party_program(self, source=BENCHMARKS):
        shutil.copy2(source, self.path / "vectors_bench.cpp")
        self.run("g++", "-O2", "-std=c++17", "/vectors_bench.cpp", "-o", "/vectors_bench", "-lbenchmark", "-lpthread")


def first_verdict(emulation, sysroot):
    """From a fresh machine to a verdict: packages, the tool, a program of the user's, a baseline, a comparison."""
    folder = BUILD / "tool"
    configure(ROOT, folder, "-DRATCHET_TOOL_ONLY=ON", *settings(sysroot))
    build(folder)
    times = {}

    def step(name, act):
        began = time.monotonic()
        act()
        times[name] = time.monotonic() - began
        say(f"{name}: {times[name]:.0f} s")

    with tempfile.TemporaryDirectory(prefix="ratchet-aarch64-") as work:
        root = EmulatedRoot(Path(work), emulation)
        root.path.rmdir()
        step("packages", lambda: make_root(root.path, PACKAGES))
        root.prepare()
        step("the tool", lambda: run(["cmake", "--install", folder, "--prefix", root.path / "usr"]))
        step("a program", root.third_party_program)
        ratchet = "/usr/bin/ratchet"
        gate = [*gate_in_root(ratchet, "^Dot"), "--budget-s", "20"]
        step("the first figures", lambda: must_hold(root.run(*gate), "No test checks what 2 rows compute"))
        step("accepted", lambda: accept_in_root(root, ratchet))
        step("the first verdict", lambda: must_hold(root.run(*gate), "2 rows same (identical work)"))
        say(f"from nothing to the first verdict: {sum(times.values()):.0f} s")
        source = root.path / "vectors_bench.cpp"
        once = "std::inner_product(a.begin(), a.end(), b.begin(), 0.0)"
        must(once in source.read_text(), f"{source.name} has {once}")
        source.write_text(source.read_text().replace(
            once, " + ".join(once.replace("0.0", f"{loop}.0") for loop in range(20))))
        root.run("g++", "-O2", "-std=c++17", "/vectors_bench.cpp", "-o", "/vectors_bench", "-lbenchmark", "-lpthread")
        slower = root.run(*gate_in_root(ratchet, "^Dot"), "--budget-s", "40", fine=(1,))
        print(slower)
        must_hold(slower, "vectors_bench/Dot/20000")


def libraries():
    """The root of libraries, made once."""
    need("mmdebstrap", "aarch64-linux-gnu-g++", "qemu-aarch64-static", "unshare")
    root = Path(os.environ.get("RATCHET_SYSROOT") or CACHE / "arm64-root")
    make_root(root, LIBRARIES)
    return root


def settings(root):
    return [f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/ci/cmake/aarch64.cmake", f"-DRATCHET_SYSROOT={root}"]


def run_experiment(options):
    root = libraries()
    if options.root:
        print(root)
        return 0
    emulation = Emulation(root)
    if options.first_verdict:
        return first_verdict(emulation, root)
    run(["cmake", "--preset", "aarch64", "-DRATCHET_BY_FOLDER=ON", f"-DRATCHET_SYSROOT={root}"], tree=ROOT)
    if emulation.follow("cmake", "--build", BUILD, "--target", *(options.targets or ["ratchet"])):
        raise Failed("it does not build")
    if options.test is None:
        return 0
    path = compilers(BUILD / "compilers", root)
    failed = emulation.follow("ctest", "-R", options.test, "--output-on-failure", "--no-tests=error",
                              tree=BUILD, env={"PATH": path})
    return 1 if failed else 0
