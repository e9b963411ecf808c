"""What CI services run: the workflows, the action and the template are valid by the services' own
schemas, safe by zizmor, and their steps do what they say, run here one by one."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import urllib.parse

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
SCHEMAS |= {"action.yml": "github-actions", "ci/comment/action.yml": "github-actions", "ci/gitlab.yml": "gitlab-ci"}
FORMS = {f".github/ISSUE_TEMPLATE/{name}.yml": "github-issue-forms" for name in ("wish", "wrong_verdict")}
# In workflows a revision of somebody else's action is named by its tag, as its own pages do. Our actions run with the
# tokens of other projects and name a commit: a tag may move.
ZIZMOR = 'rules: {unpinned-uses: {config: {policies: {"*": %s}}}}\n'


def load(name):
    return yaml.YAML(typ="safe").load((ROOT / name).read_text())


def run(command, **options):
    environment = dict(os.environ, PYTHONPATH=str(TOOLS), **options.pop("env", {}))
    return subprocess.run(command, capture_output=True, text=True, env=environment, **options)


class Files(unittest.TestCase):
    def test_name_the_version_of_the_project(self):
        version = re.search(r"project\(ratchet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        number = r"(?:ratchet(?:/ci/comment)?@v|find_package\(ratchet |ratchet-|rev: v)([0-9]+\.[0-9.]*[0-9])"
        pages = ["README.md", "perf/guide/ci.md", "perf/guide/new_kernel.md", "ci/examples/kernels/workflow.yml",
                 "ci/examples/kernels/CMakeLists.txt"]
        named = dict.fromkeys(pages, number) | {"CITATION.cff": r"^version: (\S+)",
                                                "CHANGELOG.md": r"\A(?:(?!^## ).*\n)*## ([0-9.]+)"}
        for name, pattern in named.items():
            found = re.findall(pattern, (ROOT / name).read_text(), re.M)
            self.assertTrue(found, name)
            for each in found:
                self.assertIn(each, (version, version.rpartition(".")[0]), name)

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
        whole = {"steps:": "buildkite", "on:": "github-workflows"}
        frames = {"steps:": "", "on:": "", "jobs:": "on: [pull_request]\n",
                  "- ": "on: [pull_request]\njobs:\n  gate:\n    runs-on: x\n    steps:\n"}
        seen = 0
        with tempfile.TemporaryDirectory() as folder:
            for page in [ROOT / "README.md", *sorted((ROOT / "perf/guide").glob("*.md"))]:
                for snippet in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.M | re.S):
                    frame = next(frame for begin, frame in frames.items() if snippet.lstrip().startswith(begin))
                    text = frame + (textwrap.indent(textwrap.dedent(snippet), "    ") if "steps" in frame else snippet)
                    schema = next((schema for begin, schema in whole.items() if text.startswith(begin)), "")
                    self.assertEqual(self.schema_errors(text, schema, folder), 0, f"{page}\n{text}")
                    wrong = text.replace("uses:", "use:").replace("run:", "runs:")
                    wrong = wrong.replace("soft_fail: [", "soft_fail: [2, ")
                    self.assertNotEqual(self.schema_errors(wrong, schema, folder), 0, wrong)
                    seen += 1
        self.assertGreater(seen, 3)

    def zizmor(self, files, folder, pins="ref-pin"):
        config = pathlib.Path(folder) / "zizmor.yml"
        config.write_text(ZIZMOR % pins)
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

    def test_actions_use_commits_of_others(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "action.yml"
            for name in ("action.yml", "ci/comment/action.yml"):
                done = self.zizmor([str(ROOT / name)], folder, "hash-pin")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                text = (ROOT / name).read_text()
                broken.write_text(re.sub(r"@[0-9a-f]{40}  # v([0-9]+)\S+", r"@v\1", text, count=1))
                self.assertNotEqual(broken.read_text(), text)
                done = self.zizmor([str(broken)], folder, "hash-pin")
                self.assertIn("unpinned-uses", done.stdout)

    def test_every_shell_step_parses(self):
        scripts = [step["run"] for step in load("action.yml")["runs"]["steps"] if "run" in step]
        for name in WORKFLOWS:
            for job in load(name)["jobs"].values():
                scripts += [step["run"] for step in job["steps"] if "run" in step]
        template = load("ci/gitlab.yml")[".ratchet"]
        scripts += template["script"] + template["after_script"]
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


@contextlib.contextmanager
def gitlab(notes):
    """A server that keeps the notes of merge request 3 of project 7, for the token "secret"."""
    class Api(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            words = dict(urllib.parse.parse_qsl(query))
            begin = (int(words["page"]) - 1) * int(words["per_page"])
            self.answer(path, lambda _: notes[begin:begin + int(words["per_page"])])

        def do_POST(self):
            self.answer(self.path, lambda body: notes.append({"id": len(notes), "system": False, **body}))

        def do_PUT(self):
            path, _, number = self.path.rpartition("/")
            self.answer(path, lambda body: notes[int(number)].update(body))

        def answer(self, path, act):
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
            fine = self.headers["PRIVATE-TOKEN"] == "secret"
            known = path == "/api/v4/projects/7/merge_requests/3/notes"
            self.send_response(401 if not fine else 200 if known else 404)
            self.end_headers()
            if fine and known:
                self.wfile.write(json.dumps(act(body)).encode())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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

        done = step("Gate")
        self.said = done.stdout + done.stderr
        self.assertEqual(done.returncode, gate)  # 0, so that the results are uploaded
        return step("Verdict").returncode

    def test_action_ends_with_the_exit_code_of_the_gate(self):
        for code in (0, 1, 2, 3, 77):
            self.assertEqual(self.action(code, {"bench": "build/b", "base": "stored"}), code)

    def test_action_passes_its_inputs_on(self):
        self.action(0, {"bench": "build/my bench", "base": "abc", "build-cmd": "make -j4 bench",
                        "check-cmd": "ctest; rm $x", "arguments": "--filter Dot --budget-s 60"})
        self.assertEqual(self.called(), [
            "gate", "--bench", "build/my bench", "--results", "ratchet-results", "--base", "abc",
            "--build-cmd", "make -j4 bench", "--check-cmd", "ctest; rm $x", "--filter", "Dot",
            "--budget-s", "60"])
        self.action(0, {"bench": "b", "base": "stored"})
        self.assertEqual(self.called(),
                         ["gate", "--bench", "b", "--results", "ratchet-results"])
        self.action(0, {"bench": "b", "base": "stored", "strict": "true"})
        self.assertEqual(self.called(), ["gate", "--bench", "b", "--results", "ratchet-results", "--strict"])

    def test_action_takes_a_program_or_a_command(self):
        self.action(0, {"exec": "python3 bench.py; exit $?", "base": "stored"})
        self.assertEqual(self.called(), ["gate", "--exec", "python3 bench.py; exit $?", "--results", "ratchet-results"])
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
        self.assertEqual(self.action(0, {"bench": "b", "arguments": '--filter "Dot'}, gate=2), 2)
        self.assertIn("::error title=ratchet::the action's input arguments has a quote without its end: --filter \"Dot",
                      self.said)

    def test_a_tool_of_the_same_files_and_system_is_not_built_again(self):
        steps = {step["name"]: step for step in load("action.yml")["runs"]["steps"]}

        def key(folder):
            (self.folder / "output").write_text("")
            done = run(["bash", "-eo", "pipefail", "-c", steps["Key"]["run"]],
                       env={"GITHUB_ACTION_PATH": str(folder), "GITHUB_OUTPUT": str(self.folder / "output")})
            self.assertEqual(done.returncode, 0, done.stderr)
            return (self.folder / "output").read_text()

        tree = self.folder / "tree"
        for part in ("ci/cmake", "kernels/contract", "kernels/support", "perf"):
            (tree / part).mkdir(parents=True)
            (tree / part / "file").write_text(part)
        for part in ("CMakeLists.txt", "pyproject.toml", "kernels/CMakeLists.txt"):
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


    def note(self, server, **env):
        """What the template says after its job, whose results are there."""
        (self.folder / "ratchet-results").mkdir(exist_ok=True)
        (self.folder / "ratchet-results/summary.md").write_text("## ratchet: PASS\n")
        [script] = load("ci/gitlab.yml")[".ratchet"]["after_script"]
        port = server.server_address[1]
        env = {"CI_API_V4_URL": f"http://127.0.0.1:{port}/api/v4", "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "3",
               "CI_JOB_NAME": "gate", "RATCHET_TOKEN": "secret", **env}
        done = run(["bash", "-eo", "pipefail"], input=script, env=env, cwd=self.folder)
        return done.stdout + done.stderr

    def test_template_keeps_one_note_on_the_merge_request(self):
        notes = [{"id": number, "system": False, "body": f"remark {number}"} for number in range(150)]
        notes[120]["body"] = "<!-- ratchet other -->\nof another job"
        with gitlab(notes) as server:
            self.assertEqual(self.note(server), "")
            self.assertEqual(notes[150:], [{"id": 150, "system": False,
                                            "body": "<!-- ratchet gate -->\n## ratchet: PASS\n"}])
            notes[150]["body"] = "<!-- ratchet gate -->\nolder"
            self.assertEqual(self.note(server), "")
            self.assertEqual((len(notes), notes[150]["body"]), (151, "<!-- ratchet gate -->\n## ratchet: PASS\n"))
            self.assertEqual(self.note(server, CI_MERGE_REQUEST_IID=""), "")  # a push has no merge request
            self.assertIn("RATCHET_TOKEN is not set", self.note(server, RATCHET_TOKEN=""))
            said = self.note(server, RATCHET_TOKEN="wrong")
            self.assertIn("ratchet: no note on the merge request: HTTP Error 401", said)
            self.assertNotIn("Traceback", said)
            self.assertEqual(len(notes), 151)

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
class Posts(unittest.TestCase):
    """The scripts of the steps that write on a pull request, against a service made of lists."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, name, summary, code=0, verdict="same"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "summary.md").write_text(summary)
        ratchet = {"run": {"exit_code": code}, "rows": {"b/a": {"verdict": verdict}}}
        (folder / "gate.json").write_text(json.dumps({"context": {"ratchet": ratchet}}))
        return folder

    def run_step(self, file, step, payload, comments=(), pulls=(), **env):
        """The comments and Check Runs that a step leaves, and what it said."""
        steps = {step["name"]: step for step in load(file)["runs"]["steps"]}
        program = """
          const comments = JSON.parse(process.env.COMMENTS), checks = [], said = [];
          const issues = {
            listComments: 'comments',
            updateComment: ({comment_id, body}) => { comments.find(c => c.id === comment_id).body = body; },
            createComment: ({body, issue_number}) => { comments.push({id: comments.length, body, issue_number}); }};
          const github = {
            rest: {issues, pulls: {list: 'pulls'}, checks: {create: (check) => { checks.push(check); }}},
            paginate: async (what, {head}) => what === 'comments' ? comments :
              JSON.parse(process.env.PULLS).filter(pull => pull.from === head)};
          const core = {info: (text) => { said.push(text); }};
          const payload = JSON.parse(process.env.PAYLOAD);
          const context = {repo: {owner: 'o', repo: 'r'}, issue: {number: 1}, sha: 'merged', payload};
          (async () => { %s })().then(() => console.log(JSON.stringify({comments, checks, said})));
        """ % steps[step]["with"]["script"]
        env = {"POST": str(ROOT / "ci/comment/post.js"), "NAME": "gate", "PAYLOAD": json.dumps(payload),
               "COMMENTS": json.dumps(list(comments)), "PULLS": json.dumps(list(pulls)), **env}
        done = run(["node", "-e", program], env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def comments(self, before, summary):
        results = self.results("own", summary)
        return self.run_step("action.yml", "Comment", {}, before, RESULTS=str(results))["comments"]

    def test_a_comment_is_made_once_and_then_updated(self):
        once = self.comments([{"id": 0, "body": "hello"}, {"id": 1, "body": None}], "PASS")
        self.assertEqual(len(once), 3)
        again = self.comments(once, "REGRESSION")
        self.assertEqual(len(again), 3)
        self.assertEqual(again[0]["body"], "hello")
        self.assertIn("REGRESSION", again[2]["body"])

    def test_a_comment_is_cut_to_what_the_service_takes(self):
        self.assertLess(len(self.comments([], "x" * 100_000)[0]["body"]), 65_536)

    def check(self, code, verdict="same", payload=None):
        results = self.results("own", "## ratchet: HEADLINE (exit 0): 1 same\n", code, verdict)
        left = self.run_step("action.yml", "Check", payload or {}, RESULTS=str(results))
        self.assertEqual(len(left["checks"]), 1)
        return left["checks"][0]

    def test_a_check_run_is_neutral_where_nothing_is_proven(self):
        for code, verdict, wanted in ((0, "same", "success"), (0, "undecided", "neutral"), (1, "slower", "failure"),
                                      (2, "failed", "failure"), (3, "undecided", "neutral"),
                                      (77, "unavailable", "neutral")):
            self.assertEqual(self.check(code, verdict)["conclusion"], wanted, (code, verdict))
        check = self.check(0, payload={"pull_request": {"head": {"sha": "headsha"}}})
        self.assertEqual(check["head_sha"], "headsha", "not the merge that was tried")
        self.assertEqual(check["output"]["title"], "HEADLINE (exit 0): 1 same")
        self.assertEqual(self.check(0)["head_sha"], "merged")

    def test_a_run_without_results_writes_nothing(self):
        for step in ("Comment", "Check"):
            left = self.run_step("action.yml", step, {}, RESULTS=str(self.folder / "none"))
            self.assertEqual((left["comments"], left["checks"]), ([], []))

    def show(self, pulls, event="pull_request", fork="theirs/r"):
        run = {"event": event, "head_sha": "abc", "head_branch": "change",
               "head_repository": {"full_name": fork, "owner": {"login": fork.partition("/")[0]}}}
        return self.run_step("ci/comment/action.yml", "Show", {"workflow_run": run}, pulls=pulls,
                             FOLDER=str(self.folder))

    def test_a_fork_gets_its_comments_and_checks_by_the_privileged_half(self):
        self.results("ratchet-gate", "## ratchet: PASS\n@everybody <!-- ratchet gate --> ![x](https://x)", 0)
        self.results("ratchet-gpu (1)", "## ratchet: REGRESSION", 1, "slower")
        pulls = [{"number": 7, "from": "theirs:change", "head": {"sha": "older"}},
                 {"number": 8, "from": "theirs:change", "head": {"sha": "abc"}},
                 {"number": 9, "from": "others:change", "head": {"sha": "abc"}}]
        left = self.show(pulls)
        self.assertEqual([each["issue_number"] for each in left["comments"]], [8, 8])
        self.assertEqual([each["conclusion"] for each in left["checks"]], ["success", "failure"])
        self.assertEqual({each["head_sha"] for each in left["checks"]}, {"abc"})
        body = left["comments"][0]["body"]
        self.assertTrue(body.startswith("<!-- ratchet gate -->\n_As the run in the fork reported it._"), body)
        self.assertEqual(body.count("<!--"), 1)
        self.assertNotIn("@everybody", body)
        self.assertNotIn("![", body)
        self.assertTrue(left["comments"][1]["body"].startswith("<!-- ratchet gpu (1) -->"))
        self.assertIn("@everybody", self.show([{**pulls[1], "from": "o:change"}], fork="o/r")["comments"][0]["body"])

    def test_what_is_of_no_open_pull_request_is_left_alone(self):
        self.results("ratchet-gate", "PASS")
        for left in (self.show([]), self.show([{"number": 7, "from": "theirs:change", "head": {"sha": "older"}}]),
                     self.show([{"number": 7, "from": "theirs:change", "head": {"sha": "abc"}}], event="push")):
            self.assertEqual((left["comments"], left["checks"], len(left["said"])), ([], [], 1))


if __name__ == "__main__":
    unittest.main()
