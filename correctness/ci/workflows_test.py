"""What CI services run: the workflows, the action and the template are valid by the services' own
schemas, safe by zizmor, and their steps do what they say, run here one by one."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = CACHE / "ratchet" / "schema-tools"  # ci/setup fills it
sys.path.append(str(TOOLS))
try:
    import ruamel.yaml as yaml
except ImportError:
    print("check-jsonschema and zizmor are not installed; run ci/setup")
    sys.exit(77)

WORKFLOWS = [".github/workflows/ci.yml", "ci/workflow.yml", "ci/examples/kernels/workflow.yml"]
SCHEMAS = {name: "github-workflows" for name in WORKFLOWS}
SCHEMAS |= {"action.yml": "github-actions", "ci/gitlab.yml": "gitlab-ci"}
FORMS = {f".github/ISSUE_TEMPLATE/{name}.yml": "github-issue-forms" for name in ("wish", "wrong_verdict")}
# A revision of somebody else's action is named by its tag, as its own pages do.
ZIZMOR = 'rules: {unpinned-uses: {config: {policies: {"*": ref-pin}}}}\n'


def load(name):
    return yaml.YAML(typ="safe").load((ROOT / name).read_text())


def run(command, **options):
    environment = dict(os.environ, PYTHONPATH=str(TOOLS), **options.pop("env", {}))
    return subprocess.run(command, capture_output=True, text=True, env=environment, **options)


class Files(unittest.TestCase):
    def schema_errors(self, text, schema, folder):
        file = pathlib.Path(folder) / "file.yml"
        file.write_text(text)
        tool = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor." + schema]
        return run(tool + [str(file)]).returncode

    def test_are_valid_by_the_services_schemas(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, schema in (SCHEMAS | FORMS).items():
                text = (ROOT / name).read_text()
                self.assertEqual(self.schema_errors(text, schema, folder), 0, name)
            broken = (ROOT / "action.yml").read_text().replace("using: composite", "using: hope")
            self.assertNotEqual(self.schema_errors(broken, "github-actions", folder), 0)

    def test_snippets_of_pages_are_parts_of_a_workflow(self):
        frames = {"jobs:": "on: [pull_request]\n",
                  "- ": "on: [pull_request]\njobs:\n  gate:\n    runs-on: x\n    steps:\n"}
        seen = 0
        with tempfile.TemporaryDirectory() as folder:
            for page in [ROOT / "README.md", *sorted((ROOT / "perf/guide").glob("*.md"))]:
                for snippet in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.M | re.S):
                    frame = next(frame for begin, frame in frames.items() if snippet.lstrip().startswith(begin))
                    text = frame + (textwrap.indent(textwrap.dedent(snippet), "    ") if "steps" in frame else snippet)
                    self.assertEqual(self.schema_errors(text, "github-workflows", folder), 0, f"{page}\n{text}")
                    wrong = text.replace("uses:", "use:").replace("run:", "runs:")
                    self.assertNotEqual(self.schema_errors(wrong, "github-workflows", folder), 0, wrong)
                    seen += 1
        self.assertGreater(seen, 3)

    def zizmor(self, files, folder):
        config = pathlib.Path(folder) / "zizmor.yml"
        config.write_text(ZIZMOR)
        return run([str(TOOLS / "bin" / "zizmor"), "--offline", "--config", str(config)] + files)

    def test_hand_nothing_of_others_to_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [str(ROOT / name) for name in SCHEMAS if name != "ci/gitlab.yml"]
            done = self.zizmor(files, folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            broken = pathlib.Path(folder) / "action.yml"
            text = (ROOT / "action.yml").read_text()
            broken.write_text(text.replace('--bench "$BENCH"', "--bench ${{ inputs.bench }}"))
            self.assertNotEqual(self.zizmor([str(broken)], folder).returncode, 0)

    def test_every_shell_step_parses(self):
        scripts = [step["run"] for step in load("action.yml")["runs"]["steps"] if "run" in step]
        for name in WORKFLOWS:
            for job in load(name)["jobs"].values():
                scripts += [step["run"] for step in job["steps"] if "run" in step]
        scripts += load("ci/gitlab.yml")[".ratchet"]["script"]
        self.assertGreaterEqual(len(scripts), 8)
        for script in scripts:
            self.assertNotIn("${{", script)  # a value arrives by the environment, never as text
            done = run(["bash", "-n"], input=script)
            self.assertEqual(done.returncode, 0, script + done.stderr)


@unittest.skipUnless(shutil.which("actionlint"), "actionlint is not installed")
class Actionlint(unittest.TestCase):
    """The workflows, and the action as a workflow uses it. No registry has the program: 1.6.27 builds from its sources
    with Debian's golang-go and the golang-*-dev packages that its go.mod names."""

    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            files |= {".github/actionlint.yaml": "self-hosted-runner: {labels: [cpu, gpu, ubuntu-24.04]}",
                      "ratchet/action.yml": (ROOT / "action.yml").read_text()}
            for name, text in files.items():
                file = pathlib.Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            run(["git", "init", "-q", folder])
            return run(["actionlint", "-no-color"], cwd=folder).stdout

    def workflow(self, **words):
        step = json.dumps({"uses": "./ratchet", "with": words})
        return {".github/workflows/it.yml":
                "on: [pull_request]\njobs: {gate: {runs-on: [self-hosted, cpu], steps: [%s]}}" % step}

    def test_finds_nothing(self):
        shipped = {f".github/workflows/{number}.yml": (ROOT / name).read_text()
                   for number, name in enumerate(WORKFLOWS)}
        self.assertEqual(self.complaints(shipped), "")
        self.assertEqual(self.complaints(self.workflow(bench="build/b", base="stored")), "")

    def test_finds_what_the_action_does_not_take(self):
        self.assertIn('"bnch" is not defined', self.complaints(self.workflow(bnch="build/b")))


class Runner(unittest.TestCase):
    """The steps of the action and of the template, with a `ratchet` that notes how it was called."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fake_ratchet(self, folder, code):
        program = folder / "bin" / "ratchet"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            f'#!/bin/sh\nfor word; do echo "$word"; done >"{self.folder}/called"\nexit {code}\n')
        program.chmod(0o755)

    def called(self):
        return (self.folder / "called").read_text().splitlines()

    def action(self, code, inputs, gate=0):
        """The exit code of the action; `inputs` over its defaults. `gate`: that of its step."""
        action = load("action.yml")
        values = {name: each.get("default", "") for name, each in action["inputs"].items()} | inputs
        self.fake_ratchet(self.folder / "ratchet", code)
        output = self.folder / "output"
        output.write_text("")
        steps = {step["name"]: step for step in action["runs"]["steps"]}

        def step(name):
            known = {"inputs." + key: value for key, value in values.items()}
            for line in output.read_text().splitlines():
                known["steps.gate.outputs." + line.split("=")[0]] = line.split("=", 1)[1]
            env = {key: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known.get(found[1], ""), text)
                   for key, text in steps[name].get("env", {}).items()}
            env |= {"RUNNER_TEMP": str(self.folder), "GITHUB_OUTPUT": str(output)}
            return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c",
                        steps[name]["run"]], env=env)

        self.assertEqual(step("Gate").returncode, gate)  # 0, so that the results are uploaded
        return step("Verdict").returncode

    def test_action_ends_with_the_exit_code_of_the_gate(self):
        for code in (0, 1, 2, 3, 77):
            self.assertEqual(self.action(code, {"bench": "build/b", "base": "stored"}), code)

    def test_action_passes_its_inputs_on(self):
        self.action(0, {"bench": "build/my bench", "base": "abc", "build-cmd": "make -j4 bench",
                        "check-cmd": "ctest; rm $x", "arguments": "--filter Dot --budget-s 60"})
        results = str(self.folder / "ratchet-results")
        self.assertEqual(self.called(), [
            "gate", "--bench", "build/my bench", "--results", results, "--base", "abc",
            "--build-cmd", "make -j4 bench", "--check-cmd", "ctest; rm $x", "--filter", "Dot",
            "--budget-s", "60"])
        self.action(0, {"bench": "b", "base": "stored"})
        self.assertEqual(self.called(),
                         ["gate", "--bench", "b", "--results", results])
        self.action(0, {"bench": "b", "base": "stored", "strict": "true"})
        self.assertEqual(self.called(), ["gate", "--bench", "b", "--results", results, "--strict"])

    def test_action_takes_a_program_or_a_command(self):
        self.action(0, {"exec": "python3 bench.py; exit $?", "base": "stored"})
        results = str(self.folder / "ratchet-results")
        self.assertEqual(self.called(), ["gate", "--exec", "python3 bench.py; exit $?", "--results", results])
        (self.folder / "called").unlink()
        for inputs in ({}, {"bench": "b", "exec": "sh bench.sh"}):
            self.assertEqual(self.action(0, inputs | {"base": "stored"}, gate=2), 2)
        self.assertFalse((self.folder / "called").exists())

    def test_arguments_are_split_as_by_a_shell(self):
        lines = '--filter "Dot product"\n--tolerance \'Parse=0.1\'\n\n  --budget-s 60 -- $HOME `id`\n'
        wanted = ["--filter", "Dot product", "--tolerance", "Parse=0.1", "--budget-s", "60", "--", "$HOME", "`id`"]
        self.action(0, {"bench": "b", "base": "stored", "arguments": lines})
        self.assertEqual(self.called()[5:], wanted)
        self.fake_ratchet(self.folder / ".ratchet", 0)
        template = load("ci/gitlab.yml")[".ratchet"]
        env = template["variables"] | {"RATCHET_ARGUMENTS": lines, "CI_COMMIT_BEFORE_SHA": "old"}
        run(["bash", "-e"], input=template["script"][-1], env=env, cwd=self.folder)
        self.assertEqual(self.called()[7:], wanted)
        self.assertNotEqual(self.action(0, {"bench": "b", "arguments": '--filter "Dot'}, gate=1), 0)

    def test_a_tool_of_the_same_files_and_system_is_not_built_again(self):
        steps = {step["name"]: step for step in load("action.yml")["runs"]["steps"]}

        def key(folder):
            (self.folder / "output").write_text("")
            done = run(["bash", "-eo", "pipefail", "-c", steps["Key"]["run"]],
                       env={"GITHUB_ACTION_PATH": str(folder), "GITHUB_OUTPUT": str(self.folder / "output")})
            self.assertEqual(done.returncode, 0, done.stderr)
            return (self.folder / "output").read_text()

        tree = self.folder / "tree"
        for part in ("ci/cmake", "kernels/contract", "perf"):
            (tree / part).mkdir(parents=True)
            (tree / part / "file").write_text(part)
        for part in ("CMakeLists.txt", "pyproject.toml"):
            (tree / part).write_text(part)
        first = key(tree)
        self.assertRegex(first, r"^key=ratchet-\S+-[0-9a-f]{16}\n$")
        (tree / "README.md").write_text("no source")
        self.assertEqual(key(tree), first)
        (tree / "perf" / "file").write_text("another")
        self.assertNotEqual(key(tree), first)
        self.assertRegex(key(ROOT), "^key=ratchet-")  # each of the folders is there

    def test_template_gates_against_the_base_of_the_merge_request(self):
        template = load("ci/gitlab.yml")[".ratchet"]
        self.fake_ratchet(self.folder / ".ratchet", 3)
        env = template["variables"] | {"RATCHET_BENCH": "build/b",
                                       "CI_MERGE_REQUEST_DIFF_BASE_SHA": "", "CI_COMMIT_BEFORE_SHA": "old"}
        done = run(["bash", "-e"], input=template["script"][-1], env=env, cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.called(), ["gate", "--bench", "build/b", "--base", "old", "--results",
                                         "ratchet-results", "--strict"])
        # GitLab shows an exit code that may fail as a warning.
        self.assertEqual(template["allow_failure"], {"exit_codes": 3})


    def test_a_base_that_is_gone_or_never_was(self):
        repository = self.folder / "repository"
        run(["git", "init", "-q", str(repository)])
        run(["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q",
             "--allow-empty", "-m", "one"])
        here = run(["git", "-C", str(repository), "rev-parse", "HEAD"]).stdout.strip()
        template = load("ci/gitlab.yml")[".ratchet"]
        self.fake_ratchet(repository / ".ratchet", 0)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(repository)
        for base, wanted in ((here, here), ("0" * 40, "0" * 40), ("a" * 40, "HEAD~1")):
            self.action(0, {"bench": "b", "base": base})
            self.assertEqual(self.called()[5:7], ["--base", wanted])
            env = template["variables"] | {"CI_COMMIT_BEFORE_SHA": base}
            run(["bash", "-e"], input=template["script"][-1], env=env)
            self.assertEqual(self.called()[3:5], ["--base", wanted])


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class Comment(unittest.TestCase):
    """The script of the step that comments on a pull request, against a service made of two lists."""

    def comments(self, before, summary):
        steps = {step["name"]: step for step in load("action.yml")["runs"]["steps"]}
        program = """
          const comments = JSON.parse(process.env.BEFORE);
          const issues = {
            listComments: 'all',
            updateComment: ({comment_id, body}) => { comments.find(c => c.id === comment_id).body = body; },
            createComment: ({body}) => { comments.push({id: comments.length, body}); }};
          const github = {rest: {issues}, paginate: async () => comments};
          const context = {repo: {owner: 'o', repo: 'r'}, issue: {number: 1}};
          (async () => { %s })().then(() => console.log(JSON.stringify(comments)));
        """ % steps["Comment"]["with"]["script"]
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(summary)
            file.flush()
            env = {"BEFORE": json.dumps(before), "SUMMARY": file.name, "NAME": "gate"}
            done = run(["node", "-e", program], env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_is_made_once_and_then_updated(self):
        once = self.comments([{"id": 0, "body": "hello"}, {"id": 1, "body": None}], "PASS")
        self.assertEqual(len(once), 3)
        again = self.comments(once, "REGRESSION")
        self.assertEqual(len(again), 3)
        self.assertEqual(again[0]["body"], "hello")
        self.assertIn("REGRESSION", again[2]["body"])

    def test_is_cut_to_what_the_service_takes(self):
        self.assertLess(len(self.comments([], "x" * 100_000)[0]["body"]), 65_536)


if __name__ == "__main__":
    unittest.main()
