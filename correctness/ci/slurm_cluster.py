"""A Slurm of its own: munged, slurmctld and slurmd of several nodes, all on the loopback device and in a folder for
the test, gone with it. Nothing of the machine's own Slurm is read or touched."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scancel"]
CONFIGURATION = """ClusterName=ratchet
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmdTimeout=5
KillWait=2
MailProg=/bin/true
SchedulerParameters=sched_interval=1
"""


def why_not():
    """Why no cluster can be started here; empty where one can."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
    if missing:
        return f"no Slurm here ({missing[0]} is missing): packages slurm-wlm and munge, by ci/setup"
    if os.geteuid() != 0:
        return "only root starts a Slurm"
    return ""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def environment_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


class Cluster:
    def __init__(self, nodes):
        self.nodes = nodes
        self.holder = tempfile.TemporaryDirectory(prefix="ratchet-slurm-")
        self.folder = pathlib.Path(self.holder.name)
        self.folder.chmod(0o755)  # munge's socket is for everybody
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.environment["PATH"] += ":/usr/sbin"
        for name in [name for name in self.environment if name.startswith(("SLURM_JOB", "SBATCH_"))]:
            del self.environment[name]
        self.daemons = {}

    def start(self):
        key = self.folder / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        (self.folder / "state").mkdir()
        for node in self.nodes:  # the nodes are one machine, and Slurm's PMIx names its folders by step alone
            (self.folder / f"tmp.{node}").mkdir()
        ports = free_ports(1 + len(self.nodes))
        lines = [CONFIGURATION.format(folder=self.folder, ports=ports)]
        lines += [f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1\n"
                  for node, port in zip(self.nodes, ports[1:], strict=True)]
        (self.folder / "slurm.conf").write_text("".join(lines) + "PartitionName=main Nodes=ALL Default=YES State=UP\n")
        self.daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={self.folder}/munge", f"--pid-file={self.folder}/munge.pid",
                    f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/seed")
        self.wait_for(lambda: (self.folder / "munge").exists(), "munged did not start")
        self.daemon("slurmctld", "slurmctld", "-D", "-i")
        for node in self.nodes:
            self.daemon(node, "slurmd", "-D", "-N", node)
        self.wait_for(lambda: self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split() == self.nodes,
                      "the nodes did not come up")

    def daemon(self, name, *command):
        log = open(self.folder / f"{name}.out", "w")
        self.daemons[name] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, cwd="/")
        log.close()

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def wait_for(self, reached, otherwise, seconds=120):  # more than a busy machine needs
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                raise RuntimeError(f"{otherwise}: {self.logs()}")
            time.sleep(0.1)

    def logs(self):
        return "\n".join(path.read_text()[-1000:] for path in sorted(self.folder.glob("*.log")))

    def jobs(self, node=None):
        """The processes of jobs of this cluster, or of a node of it."""
        wanted = {f"SLURM_CONF={self.folder}/slurm.conf".encode()}
        if node:
            wanted.add(f"SLURMD_NODENAME={node}".encode())
        pids = [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()]
        marked = [pid for pid in pids if wanted <= set(environment_of(pid)) and
                  any(word.startswith(b"SLURM_JOB_ID=") for word in environment_of(pid))]
        return [pid for pid in marked if pid != os.getpid()]

    def kill(self, node):
        """Ends a node as a power failure does: nothing of it lives to tell."""
        jobs = self.jobs(node)
        stewards = {parent_of(pid) for pid in jobs
                    if pathlib.Path(f"/proc/{parent_of(pid)}/comm").read_text().startswith("slurmstepd")}
        self.daemons[node].kill()
        for pid in [*stewards, *jobs]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.daemons.pop(node).wait()

    def stop(self):
        for pid in self.jobs():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for daemon in reversed(self.daemons.values()):  # munged last
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.holder.cleanup()
