"""An empty root, in which a program finds nothing but what a check puts there."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from .running import ROOT, Failed, run

COMPILER = os.environ.get("CXX", "c++")
BENCHMARKS = ROOT / "ci/examples/benchmarks/vectors_bench.cpp"


def must(fine, what):
    if not fine:
        raise Failed(f"not so: {what}")


def must_hold(text, *parts):
    for part in parts:
        must(part in text, f"\"{part}\" stands in:\n{text[-2000:]}")


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Failed(f"skipped: {tool} is not installed", 77)


class Root:
    """An empty root, in which there is only what is put there."""

    def __init__(self, work):
        self.work, self.path = work, work / "root"
        self.path.mkdir()

    def run(self, *words, fine=(0,), told="stdout"):
        script = 'mount -t proc proc "$0/proc" && exec chroot "$@"'
        return getattr(run(["unshare", "--mount", "sh", "-c", script, self.path, self.path, *words], fine), told)

    def prepare(self):
        for folder in ("proc", "tmp", "dev", "baselines"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        (self.path / "tmp").chmod(0o1777)
        if not (self.path / "dev/null").exists():
            run(["mknod", "-m", "666", self.path / "dev/null", "c", "1", "3"])

    def copy_with_libraries(self, file):
        """A file with the libraries that it is linked with, at the names that they have here."""
        linked = run(["ldd", file], fine=range(256)).stdout
        for path in sorted({str(file), *re.findall(r"/[^ \n]*", linked)}):
            target = self.path / path.lstrip("/")
            if Path(path).exists() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)

    def copy_packages(self, todo):
        """The files of installed packages and of all that these depend on."""
        seen, todo = set(), list(todo)
        while todo:
            package = todo.pop(0)
            if package in seen:
                continue
            seen.add(package)
            # A package that others provide is none itself.
            listed = run(["dpkg-query", "-L", package], fine=range(256)).stdout.splitlines()
            files = [path for path in listed if not path.startswith("/usr/share/") and Path(path).is_file()]
            pack = subprocess.Popen(["tar", "-C", "/", "-chf", "-", "-T", "-"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            unpack = subprocess.Popen(["tar", "-C", self.path, "--keep-directory-symlink", "-xf", "-"],
                                      stdin=pack.stdout)
            pack.stdout.close()
            with pack.stdin:
                pack.stdin.write("\n".join(files).encode())
            must(unpack.wait() == 0 and pack.wait() == 0, f"the files of {package} are copied")
            todo += names_of(run(["dpkg-query", "-W", "-f", "${Depends}", package], fine=range(256)).stdout)

    def third_party_program(self, source=BENCHMARKS):
        run([COMPILER, "-O2", "-std=c++17", source, "-o", self.work / "vectors_bench", "-lbenchmark", "-lpthread"])
        self.copy_with_libraries(self.work / "vectors_bench")
        copied = self.path / str(self.work / "vectors_bench").lstrip("/")
        copied.replace(self.path / "vectors_bench")


def names_of(depends):
    """ "libc6 (>= 2.34), libfmt9 | x" as names."""
    names = (re.sub(r"\|.*|\(.*|:any| ", "", part) for part in depends.split(","))
    return [name.strip() for name in names if name.strip()]


def gate_in_root(ratchet, *more):
    return [ratchet, "gate", *more, "--bench", "/vectors_bench", "--baseline-dir", "/baselines", "--results",
            "/results"]


def accept_in_root(root, ratchet):
    root.run(ratchet, "accept", "--from", "/results/gate.json", "--baseline-dir", "/baselines", "--yes",
             "--allow-unverified", "--reason", "a first one")
