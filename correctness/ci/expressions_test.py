"""The expressions of action.yml, which GitHub evaluates: the base of each event, the steps that a fork's token cannot
run, the names of a matrix's jobs. Node evaluates them here: their operators are its own, and what an object lacks is
null."""
import json
import re
import shutil
import subprocess
import sys
import unittest

import workflows_test

if not shutil.which("node"):
    print("node is not installed")
    sys.exit(77)

ACTION = workflows_test.load("action.yml")
OWN = {"repository": "ours/r", "job": "gate"}


def value(expression, inputs=None, strategy=None, **github):
    """What it is among these contexts."""
    code = re.sub(r"^\$\{\{ (.*) \}\}$", r"\1", expression)
    code = re.sub(r"(?<=[a-z_])\.(?=[a-z])", "?.", code.replace("job-", "job_"))
    code = code.replace(".*.name", "?.map((each) => each.name)")
    contexts = {"github": OWN | github, "inputs": inputs or {}, "strategy": strategy or {}}
    program = f"""const {{github, inputs, strategy}} = {json.dumps(contexts)}, always = () => true;
      const contains = (list, item) => (list ?? []).includes(item);
      const format = (text, ...values) => text.replace(/{{(.)}}/g, (_, place) => values[place]);
      console.log(JSON.stringify({code}));"""
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def step(name):
    [found] = [each for each in ACTION["runs"]["steps"] if each["name"] == name]
    return found


def pull_request(repository):
    return {"pull_request": {"base": {"sha": "aa"}, "head": {"repo": {"full_name": repository}}}}


class Expressions(unittest.TestCase):
    def test_the_base_of_every_event(self):
        def base(event):
            return value(ACTION["inputs"]["base"]["default"], event=event)

        self.assertEqual(base(pull_request("ours/r") | {"before": "bb"}), "aa")
        self.assertEqual(base({"merge_group": {"base_sha": "cc", "head_sha": "dd"}}), "cc")
        self.assertEqual(base({"before": "bb", "forced": True}), "bb")
        self.assertEqual(base({"schedule": "0 3 * * 0"}), "HEAD~1")

    def test_the_token_of_a_fork_is_not_asked_to_write(self):
        wants = {"comment": "true", "check": "true"}
        for name in ("Comment", "Check"):
            condition = step(name)["if"]
            self.assertFalse(value(condition, wants, event=pull_request("theirs/r")), name)
            self.assertTrue(value(condition, wants, event=pull_request("ours/r")), name)
            self.assertFalse(value(condition, {"comment": "false", "check": "false"}, event=pull_request("ours/r")))
        self.assertTrue(value(step("Check")["if"], wants, event={"before": "bb"}))  # a push has a Check Run
        self.assertFalse(value(step("Comment")["if"], wants, event={"before": "bb"}))  # and nothing to comment on

    def test_jobs_of_a_matrix_have_names_of_their_own(self):
        names = {step("Comment")["env"]["NAME"], step("Check")["env"]["NAME"],
                 step("Upload")["with"]["name"].removeprefix("ratchet-")}
        self.assertEqual(len(names), 1)
        [name] = names
        self.assertEqual(value(name, {"name": ""}, {"job_total": 1, "job_index": 0}), "gate")
        self.assertEqual(value(name, {"name": ""}, {"job_total": 3, "job_index": 2}), "gate-2")
        self.assertEqual(value(name, {"name": "gpu"}, {"job_total": 3, "job_index": 2}), "gpu")

    def test_the_label_of_the_page_lets_a_slower_change_pass(self):
        page = (workflows_test.ROOT / "perf/guide/ci.md").read_text()
        [label] = re.findall(r"`continue-on-error:\s(\$\{\{ contains\(.*?\) \}\})`", page)

        def passes(*names):
            return value(label, event={"pull_request": {"labels": [{"name": name} for name in names]}})

        self.assertTrue(passes("bug", "slower-is-fine"))
        self.assertFalse(passes("bug"))
        self.assertFalse(value(label, event={"before": "bb"}))  # a push has no labels


if __name__ == "__main__":
    unittest.main()
