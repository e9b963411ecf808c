"""Builds everything but CUDA for aarch64 with a cross compiler and runs it by QEMU, in namespaces of its own.

  python3 ci/lab aarch64 --root                  a root of Debian's packages for arm64, made once (325 MB, 10 s)
  python3 ci/lab aarch64 ratchet life_test       the same, and builds these targets in build-aarch64/
  python3 ci/lab aarch64 --test REGEX TARGET...  the same, and runs the tests whose names match
  python3 ci/lab aarch64 --first-verdict         from an empty root for arm64 to a verdict there: installs the tool,
                                                 compiles a program and gates it, all by QEMU; the time of each step

The kernel starts programs for aarch64 by QEMU (binfmt_misc) inside namespaces that end with the command, so that
nothing of the machine changes. QEMU has no ptrace, no perf and no Callgrind; what needs them is skipped by name. It says
nothing about speed: no figure of it is stored.

Exit codes: 0 all passed, 1 a test failed, 2 it could not be built, 77 it cannot be tried here (a program is missing, or
the kernel has no binfmt_misc in namespaces, which began with Linux 6.7).
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .running import CACHE, ROOT, Failed, run, write_whole

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


def need(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise Failed(f"skipped: {', '.join(missing)} not installed; ci/setup does that on amd64", 77)


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


def run_experiment(options):
    need("mmdebstrap", "aarch64-linux-gnu-g++", "qemu-aarch64-static", "unshare")
    root = Path(os.environ.get("RATCHET_SYSROOT") or CACHE / "arm64-root")
    make_root(root, LIBRARIES)
    if options.root:
        print(root)
        return 0
    emulation = Emulation(root)
    run(["cmake", "--preset", "aarch64", "-DRATCHET_BY_FOLDER=ON", f"-DRATCHET_SYSROOT={root}"], tree=ROOT)
    if emulation.follow("cmake", "--build", BUILD, "--target", *(options.targets or ["ratchet"])):
        raise Failed("it does not build")
    if options.test is None:
        return 0
    path = compilers(BUILD / "compilers", root)
    failed = emulation.follow("ctest", "-R", options.test, "--output-on-failure", "--no-tests=error", "--timeout", "3600",
                              tree=BUILD, env={"PATH": path})
    return 1 if failed else 0
