"""Builds what a release consists of from the last commit, and uses each part in an empty root.

Into FOLDER, all or nothing:
  ratchet-VERSION.tar.gz              the sources, as committed
  ratchet-VERSION-linux-MACHINE.tar.gz  the program alone, made of them: it needs the C library and nothing else
  ratchet_VERSION_MACHINE.deb         the Debian package
  ratchet_gate-VERSION.tar.gz         Python's source package
  ratchet_gate-VERSION-...whl         the wheel made of it, named by the oldest C library that it runs with (auditwheel)
  ratchet-VERSION-recipes.tar.gz      ci/packages filled in: recipes of vcpkg, Homebrew and conda for these sources
  ratchet-VERSION.spdx.json           what the program alone was compiled and linked of, as SPDX 2.3
  SHA256SUMS

What is checked in an empty root is what install-check checks. The recipes run without their package managers.
CXX names the compiler.

Exit codes: 0 all of it is in FOLDER; 1 a part does not work; 77 it cannot be tried here: not root, uncommitted changes,
a tool is missing.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .empty_root import Root, must, must_hold, need
from .install_check import alone_in_root, deb, need_wheel_tools, say, wheel_environment
from .recipes import fill, use_recipes
from .running import CACHE, ROOT, Failed, build, configure, run, version

# The newest release of the C library that what is packed may need: that of Ubuntu 22.04.
MOST_C_LIBRARY = (2, 35)
TOOLS = CACHE / "release-tools"
CHECKSUMS = "SHA256SUMS"


def sources(work, folder):
    """The archive of the last commit, the tree in it, and the commit: later ones are not in this release."""
    changes = run(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]).stdout
    if changes:
        raise Failed(f"skipped: uncommitted changes are not in a release; commit first: {changes.split()[1]}, ...", 77)
    name = f"ratchet-{version()}"
    archive = folder / f"{name}.tar.gz"
    head = run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]).stdout.strip()
    run(["git", "-C", ROOT, "archive", f"--prefix={name}/", "-o", archive, head])
    run(["tar", "-xzf", archive, "-C", work])
    must_hold((work / name / "CHANGELOG.md").read_text(), f"\n## {version()}, 2")  # with its date
    return archive, work / name, head


def must_run_elsewhere(program):
    named = re.findall(r"GLIBC_([0-9.]+)", run(["objdump", "-T", program]).stdout)
    newest = max(tuple(map(int, each.split("."))) for each in named)
    say(f"{program.name} needs version {'.'.join(map(str, newest))} of the C library")
    must(newest <= MOST_C_LIBRARY, f"no newer one than {'.'.join(map(str, MOST_C_LIBRARY))}")


def in_new_root(work, name):
    (work / name).mkdir()
    root = Root(work / name)
    root.third_party_program()
    return root


def program_alone(work, tree, head, folder):
    """Builds the tree, packs the program, uses it. The folder of the build."""
    built = work / "alone"
    configure(tree, built, "-DRATCHET_TOOL_ONLY=ON", "-DRATCHET_STATIC=ON")
    build(built)
    name = f"ratchet-{version()}-linux-{os.uname().machine}"
    run(["cpack", "-G", "TGZ", "-B", work / "packed", "-D", f"CPACK_PACKAGE_FILE_NAME={name}"], tree=built)
    packed = shutil.copy2(work / "packed" / f"{name}.tar.gz", folder)
    run(["tar", "-xzf", packed, "-C", work])
    program = work / name / "bin/ratchet"
    must_hold(run([program, "--version"]).stdout, f"ratchet {version()} ({head})")
    for file in (program, *(work / name).rglob("*.so")):
        must_run_elsewhere(file)
    alone_in_root(in_new_root(work, "of-tar"), program)
    return built


def of_python(work, tree, folder):
    """Packs sources, makes the wheel of these alone, installs it, uses it, removes it."""
    env = wheel_environment()
    made = "import sys\nfrom scikit_build_core.build import build_sdist\nbuild_sdist(sys.argv[1])"
    run([sys.executable, "-c", made, folder], tree=tree, env=env)
    packed = next(folder.glob("ratchet_gate-*.tar.gz"))
    say(f"{packed.name}: {packed.stat().st_size // 1000} kB")
    pip = [sys.executable, "-m", "pip"]
    run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", work / "wheels", packed], env=env)
    wheel = named_by_its_needs(next((work / "wheels").glob("*.whl")), folder)
    venv = work / "venv"
    run(["python3", "-m", "venv", venv])
    run([venv / "bin/pip", "install", "--no-index", wheel])
    for file in (venv / "bin/ratchet", *(venv / "libexec").rglob("*.so")):
        must_run_elsewhere(file)
    alone_in_root(in_new_root(work, "of-wheel"), venv / "bin/ratchet")
    run([venv / "bin/pip", "uninstall", "-y", "ratchet-gate"])
    left = [file for file in venv.rglob("*ratchet*") if file.is_file()]
    must(not left, f"nothing of it is left: {left}")


def named_by_its_needs(wheel, folder):
    """The wheel in the folder, with the tag of the C library that it needs, as auditwheel finds."""
    if not (TOOLS / "auditwheel").is_dir():
        say("auditwheel is not installed, so that the wheel is for this system alone; run ci/setup")
        return Path(shutil.copy2(wheel, folder))
    env = {"PYTHONPATH": str(TOOLS), "PATH": f"{TOOLS / 'bin'}:{os.environ['PATH']}"}
    run([sys.executable, "-m", "auditwheel", "repair", "-w", folder, wheel], env=env)
    named = next(folder.glob("*.whl"))
    must("manylinux" in named.name, f"it runs on other systems: {named.name}")
    return named


def recipes(work, archive, tree, folder):
    """Fills in the recipes, builds by them, packs them."""
    name = f"ratchet-{version()}-recipes"
    fill(archive, work / name)
    use_recipes(work, archive, work / name, tree)
    run(["tar", "-czf", folder / f"{name}.tar.gz", "--owner=0", "--group=0", "-C", work, name])


def owners(files):
    """The Debian packages that files belong to."""
    found = subprocess.run(["dpkg-query", "-S", *files], capture_output=True, text=True).stdout
    return {name.split(":")[0] for line in found.splitlines() for name in line.rsplit(": ", 1)[0].split(", ")}


def built_of(built):
    """(package, version, how) of all that the program was compiled or linked with: by the compiler's record of included
    headers, and by the linker's of archives."""
    headers = set(re.findall(r"^ +(/usr/\S+)$", run(["ninja", "-t", "deps"], tree=built).stdout, re.M))
    link = run(["ninja", "-t", "commands", "ratchet"], tree=built).stdout.splitlines()[-1]
    must(link.endswith(" && :"), f"the last command links: {link[-200:]}")
    trace = run(["sh", "-c", link.removesuffix(" && :") + " -Wl,--trace"], tree=built).stdout
    archives = {os.path.realpath(file) for file in re.findall(r"(/\S+\.a)\b", trace)}
    archives = {file for file in archives if not file.startswith(str(built))}
    must(archives, "the program is linked with archives")
    linked = owners(sorted(archives))
    for package in sorted(linked | owners(sorted(headers))):
        about = run(["dpkg-query", "-W", "-f", "${Version}", package]).stdout
        yield package, about, "STATIC_LINK" if package in linked else "DEPENDS_ON"
    for about in sorted((CACHE / "vega-tools").glob("vl_convert_python-*.dist-info")):
        yield "vl-convert-python", about.name.split("-")[1], "DEPENDS_ON"  # Vega in the report


def bill_of_materials(parts, archive):
    """SPDX 2.3 of the program alone."""
    when = run(["git", "-C", ROOT, "show", "-s", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "HEAD"],
               env={"TZ": "UTC"}).stdout.strip()
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()

    def package(name, number, licence, **more):
        return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": number,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}

    own = package("ratchet", version(), "Apache-2.0", packageFileName=archive.name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    others, relations = [], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for name, number, how in parts:
        kind = "pypi" if name == "vl-convert-python" else "deb/debian"
        others.append(package(name, number, "NOASSERTION", externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:{kind}/{name.replace('+', '%2B')}@{number.replace('+', '%2B')}"}]))
        relations.append((own["SPDXID"], how, others[-1]["SPDXID"]))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"ratchet-{version()}", "documentNamespace": f"https://spdx.org/spdxdocs/ratchet-{digest}",
            "creationInfo": {"created": when, "creators": ["Tool: ratchet-ci-lab-release"]},
            "packages": [own, *others],
            "relationships": [{"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                              for one, how, other in relations]}


def write_bill(built, archive, folder):
    parts = list(built_of(built))
    for wanted in ("libc6-dev", "nlohmann-json3-dev", "libcli11-dev", "libsqlite3-dev", "libelf-dev"):
        must(any(name == wanted for name, *_ in parts), f"{wanted} is named: {[name for name, *_ in parts]}")
    file = folder / f"ratchet-{version()}.spdx.json"
    file.write_text(json.dumps(bill_of_materials(parts, archive), indent=2) + "\n")
    say(f"{file.name}: {len(parts)} parts")
    if not (TOOLS / "spdx_tools").is_dir():
        say("not checked: spdx-tools is not installed; run ci/setup")
        return
    check = ("import sys\nfrom spdx_tools.spdx.parser.parse_anything import parse_file\n"
             "from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document as validate\n"
             "sys.exit('; '.join(each.validation_message for each in validate(parse_file(sys.argv[1]))) or 0)")
    run([sys.executable, "-c", check, file], env={"PYTHONPATH": str(TOOLS)})


def add_options(parser):
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="new or empty; default: nothing is kept")


def run_experiment(options):
    if os.getuid() != 0:
        raise Failed("skipped: only root can enter an empty root", 77)
    need("git", "cmake", "ninja", "cpack", "dpkg-query", "sha256sum", "unshare", "chroot", "objdump", "ruby")
    need_wheel_tools()
    folder = options.folder
    if folder and folder.exists() and any(folder.iterdir()):
        raise Failed(f"{options.folder} is not empty; name a new folder")
    try:
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as made:
            work, parts = Path(scratch), Path(made)  # FOLDER gets all of it, or nothing
            archive, tree, head = sources(work, parts)
            write_bill(program_alone(work, tree, head, parts), archive, parts)
            of_python(work, tree, parts)
            (work / "debian").mkdir()
            deb(work / "debian", None, tree)
            shutil.copy2(next((work / "debian/deb").glob("*.deb")), parts)
            recipes(work, archive, tree, parts)
            names = sorted(file.name for file in parts.iterdir())
            (parts / CHECKSUMS).write_text(run(["sha256sum", *names], tree=parts).stdout)
            run(["sha256sum", "--check", "--strict", CHECKSUMS], tree=parts)
            if folder:
                shutil.copytree(parts, folder, dirs_exist_ok=True)
    except Failed as failed:
        raise Failed(str(failed), 77 if failed.code == 77 else 1) from failed
    say(f"{folder or 'nothing kept'}: {', '.join(names)}, {CHECKSUMS}")
