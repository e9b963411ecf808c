"""The expressions of action.yml, which GitHub evaluates: the base of each event, the steps that a fork's token cannot
run, the names of a matrix's jobs."""
import re
import unittest

import workflows_test

ACTION = workflows_test.load("action.yml")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def expression(text, context):
    """What a text with or without `${{ }}` becomes: names of a context, strings, numbers, functions, && || ! > ==."""
    code = re.sub(r"^\$\{\{ (.*) \}\}$", r"\1", text)
    code = re.sub(r"'[^']*'|[a-z_]+(?:\.[\w*-]+)+",
                  lambda found: found[0] if found[0][0] == "'" else f"context.get({found[0]!r}, '')", code)
    code = code.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return eval(code, {"context": context, "always": lambda: True, "contains": lambda list, item: item in list,
                       "format": lambda form, *words: form.format(*words)})


def pull_request(repository):
    """The contexts of a run whose inputs want everything."""
    return {"inputs.comment": "true", "inputs.check": "true", "github.repository": "ours/r",
            "github.event.pull_request": True, "github.event.pull_request.head.repo.full_name": repository}


class Expressions(unittest.TestCase):
    def test_each_event_has_its_base(self):
        zeros = "0" * 40
        for event, wanted in (({"pull_request.base.sha": "abc"}, "abc"),
                              ({"pull_request.base.sha": "abc", "before": "def"}, "abc"),  # synchronize
                              ({"merge_group.base_sha": "abc", "merge_group.head_sha": "def"}, "abc"),
                              ({"before": "def"}, "def"),  # a push
                              ({"before": zeros}, zeros),  # a new branch, or a tag
                              ({}, "HEAD~1")):  # schedule, workflow_dispatch
            context = {f"github.event.{name}": each for name, each in event.items()}
            self.assertEqual(expression(ACTION["inputs"]["base"]["default"], context), wanted)

    def test_each_leg_of_a_matrix_has_its_name(self):
        texts = [STEPS["Upload"]["with"]["name"], *(STEPS[name]["env"]["NAME"] for name in ("Comment", "Check"))]
        for text in texts:
            def named(text=text, **context):
                whole = {"github.job": "gate", "strategy.job-total": 1, "strategy.job-index": 0} | {
                    name.replace("__", ".").replace("_", "-"): each for name, each in context.items()}
                return re.sub(r"\$\{\{ .*? \}\}", lambda found: str(expression(found[0], whole)), text)

            before = "ratchet-" if text is texts[0] else ""
            self.assertEqual(named(), before + "gate")
            self.assertEqual(named(inputs__name="gcc"), before + "gcc")
            legs = {named(strategy__job_total=3, strategy__job_index=leg) for leg in range(3)}
            self.assertEqual(legs, {f"{before}gate-{leg}" for leg in range(3)})

    def test_the_token_of_a_fork_is_not_asked_to_write(self):
        unwanted = {"inputs.comment": "false", "inputs.check": "false"}
        push = {name: each for name, each in pull_request("").items() if "event" not in name}
        for name in ("Comment", "Check"):
            condition = STEPS[name]["if"]
            self.assertFalse(expression(condition, pull_request("theirs/r")), name)
            self.assertTrue(expression(condition, pull_request("ours/r")), name)
            self.assertFalse(expression(condition, pull_request("ours/r") | unwanted), name)
        self.assertTrue(expression(STEPS["Check"]["if"], push))
        self.assertFalse(expression(STEPS["Comment"]["if"], push))  # there is nothing to comment on

    def test_the_label_of_the_page_lets_a_slower_change_pass(self):
        page = (workflows_test.ROOT / "perf/guide/ci.md").read_text()
        [label] = re.findall(r"`continue-on-error:\s(\$\{\{ contains\(.*?\) \}\})`", page)

        def passes(*names):
            return expression(label, {"github.event.pull_request.labels.*.name": list(names)})

        self.assertTrue(passes("bug", "slower-is-fine"))
        self.assertFalse(passes("bug"))
        self.assertFalse(expression(label, {}))  # a push


if __name__ == "__main__":
    unittest.main()
