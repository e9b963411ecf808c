"""The recipes of other package managers (ci/packages): filled in they name this version and its archive, and configure
the sources. `ci/lab release` builds by them."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci"))
from lab import recipes  # noqa: E402
from lab.running import CACHE, Failed, printed_lines  # noqa: E402

VERSION = re.search(r"project\(ratchet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
RENDER = """import json, sys
from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig
recipe = Stage0Recipe.from_file(sys.argv[1])
variants = VariantConfig({"c_stdlib": ["sysroot"], "cxx_compiler": ["gxx"]})
[made] = recipe.render(variants, RenderConfig(platform=PlatformConfig(target_platform="linux-64")))
print(json.dumps(made.recipe.to_dict()))
"""


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.archive = self.work / "sources.tar.gz"
        self.archive.write_bytes(b"sources")
        self.filled = self.work / "filled"
        recipes.fill(self.archive, self.filled)
        self.url = f"https://github.com/OWNER/ratchet/releases/download/v{VERSION}/ratchet-{VERSION}.tar.gz"
        self.sha256 = hashlib.sha256(b"sources").hexdigest()

    def test_all_are_filled_in(self):
        kept = {str(file.relative_to(ROOT / "ci/packages")) for file in (ROOT / "ci/packages").rglob("*")
                if file.is_file()}
        self.assertEqual(kept, {"Dockerfile", *recipes.RECIPES})
        for name in recipes.RECIPES:
            self.assertNotRegex((self.filled / name).read_text(), "@[A-Z0-9]+@", name)

    def test_vcpkg_configures_by_the_port(self):
        said = recipes.port(self.filled / "vcpkg", self.work, self.archive, ROOT)
        self.assertIn("URL " + self.url, said)
        other = self.work / "other.tar.gz"
        other.write_bytes(b"other")
        with self.assertRaisesRegex(Failed, "another archive"):
            recipes.port(self.filled / "vcpkg", self.work, other, ROOT)
        portfile = self.filled / "vcpkg/portfile.cmake"
        portfile.write_text(portfile.read_text().replace("-DRATCHET_LIBRARY=ON", "-DRATCHET_LIBRARIES=ON"))
        with self.assertRaisesRegex(Failed, "RATCHET_LIBRARIES"):
            recipes.port(self.filled / "vcpkg", self.work, self.archive, ROOT)

    @unittest.skipUnless(shutil.which("ruby"), "ruby is not installed")
    def test_homebrew_reads_the_formula(self):
        facts = recipes.formula_facts(self.filled / "ratchet.rb", self.work)
        self.assertEqual((facts["url"], facts["sha256"], facts["version"]), (self.url, self.sha256, VERSION))
        self.assertIn("linux", facts["depends_on"])

    @unittest.skipUnless((CACHE / "conda-tools/rattler_build").is_dir(), "rattler-build is not installed")
    def test_conda_renders_the_recipe(self):
        done = subprocess.run([sys.executable, "-c", RENDER, self.filled / "recipe.yaml"], capture_output=True,
                              text=True, env=dict(os.environ, PYTHONPATH=str(CACHE / "conda-tools")))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        linux = json.loads(done.stdout)
        self.assertEqual((linux["package"]["name"], linux["package"]["version"]), ("ratchet", VERSION))
        source = linux["source"][0]
        self.assertEqual((source["url"], source["sha256"]), (self.url, self.sha256))
        build, test = recipes.conda_script(self.filled / "recipe.yaml")
        self.assertEqual(linux["build"]["script"], build)
        self.assertEqual([linux["tests"][0]["script"]], test)

    def test_images_are_made_of_what_is_there(self):
        docker = (ROOT / "ci/packages/Dockerfile").read_text()
        stages = re.findall(r"^FROM (\S+) AS (\S+)$", docker, re.M)
        self.assertEqual([stage for _, stage in stages], ["develop", "build", "tool"])
        own = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())["build"]
        self.assertIn(own["target"], [stage for _, stage in stages])
        self.assertEqual((ROOT / ".devcontainer" / own["dockerfile"]).resolve(), ROOT / "ci/packages/Dockerfile")
        self.assertEqual((ROOT / ".devcontainer" / own["context"]).resolve(), ROOT)
        # What the README's line installs to build with is what the image builds with.
        needs = set(re.findall(r"\S+-dev\b", printed_lines(ROOT / "README.md", "needs")[0]))
        self.assertEqual(set(re.findall(r"\S+-dev\b", docker)), needs)
        self.assertGreater(len(needs), 5)


if __name__ == "__main__":
    unittest.main()
