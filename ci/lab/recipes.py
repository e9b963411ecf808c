"""The recipes of ci/packages: filled in for a release, and run here without the package managers that they are for.

What a manager would do is made of its documented functions: downloads and dependencies are taken as there.
"""
import hashlib
import itertools
import json
import os
import re
from pathlib import Path

from .empty_root import must, must_hold
from .running import ROOT, run, version

PACKAGES = ROOT / "ci/packages"
RECIPES = ("vcpkg/portfile.cmake", "vcpkg/vcpkg.json", "ratchet.rb", "recipe.yaml")

# Homebrew's Formula: all that the recipe calls; anything else is an error. "facts" prints what it states.
FORMULA = """
require "json"
require "pathname"
class Formula
  FACTS = {"depends_on" => []}
  class << self
    %w[desc homepage url sha256 license].each { |name| define_method(name) { |value| FACTS[name] = value } }
    def depends_on(what) = FACTS["depends_on"] << (what.is_a?(Hash) ? what.keys.first : what)
    def test(&block) = define_method(:run_test, &block)
  end
  def version = FACTS["url"][%r{/v([0-9.]+)/}, 1]
  def bin = Pathname(ENV.fetch("PREFIX")) / "bin"
  def std_cmake_args
    %W[-DCMAKE_INSTALL_PREFIX=#{ENV.fetch("PREFIX")} -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -Wno-dev]
  end
  def system(*words) = Kernel.system(*words.map(&:to_s), exception: true)
  def shell_output(command) = `#{command}`.tap { raise command unless $?.success? }
  def assert_match(wanted, text) = text.include?(wanted) || raise("#{wanted} is not in #{text}")
end
load ARGV[0]
puts JSON.generate(Formula::FACTS.merge("version" => Ratchet.new.version)) if ARGV[1] == "facts"
Ratchet.new.install if ARGV[1] == "install"
Ratchet.new.run_test if ARGV[1] == "install"
"""

# vcpkg's functions: all that the recipe calls. The sources are those of SOURCES; what is configured is not built.
PORT = """
function(vcpkg_download_distfile variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "URLS;FILENAME;SHA512" "")
  file(SHA512 "${ARCHIVE}" found)
  if(NOT found STREQUAL arg_SHA512)
    message(FATAL_ERROR "the port names another archive: ${arg_SHA512}")
  endif()
  message(STATUS "URL ${arg_URLS}")
  set(${variable} "${ARCHIVE}" PARENT_SCOPE)
endfunction()
function(vcpkg_extract_source_archive variable)
  set(${variable} "${SOURCES}" PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND ${CMAKE_COMMAND} -S "${arg_SOURCE_PATH}" -B "${BUILD}" -G Ninja ${arg_OPTIONS}
    COMMAND_ERROR_IS_FATAL ANY ERROR_VARIABLE warned)
  if(warned MATCHES "not used by the project")
    message(FATAL_ERROR "${warned}")
  endif()
endfunction()
function(vcpkg_cmake_install)
endfunction()
function(installs what)
  file(STRINGS "${BUILD}/cmake_install.cmake" lines REGEX "${what}")
  file(STRINGS "${BUILD}/perf/cmake_install.cmake" more REGEX "${what}")
  if(NOT lines AND NOT more)
    message(FATAL_ERROR "the build installs no ${what}")
  endif()
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  installs("/${arg_CONFIG_PATH}")
endfunction()
function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
  installs("/bin/${arg_TOOL_NAMES}\\"")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(READ "${arg_FILE_LIST}" text LIMIT 1000)
endfunction()
include("${PORTFILE}")
"""


def fill(archive, folder):
    """Writes the recipes of this version for the archive of its sources into a folder."""
    content = archive.read_bytes()
    values = {"VERSION": version(), "SHA256": hashlib.sha256(content).hexdigest(),
              "SHA512": hashlib.sha512(content).hexdigest()}
    for name in RECIPES:
        text = (PACKAGES / name).read_text()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(re.sub(r"@([A-Z0-9]+)@", lambda found: values[found[1]], text))


def formula(file, work, what, prefix=Path("/nowhere"), tree=None):
    """What Homebrew's formula states ("facts"), or its installation into a prefix, and its test ("install")."""
    (work / "formula.rb").write_text(FORMULA)
    run(["ruby", "-wc", file])
    return run(["ruby", work / "formula.rb", file, what], tree=tree, env={"PREFIX": str(prefix)}).stdout


def formula_facts(file, work):
    return json.loads(formula(file, work, "facts"))


def port(folder, work, archive, sources):
    """Configures as the port of vcpkg does. What it said."""
    (work / "port.cmake").write_text(PORT)
    number = json.loads((folder / "vcpkg.json").read_text())["version"]
    return run(["cmake", f"-DVERSION={number}", f"-DARCHIVE={archive}", f"-DSOURCES={sources}",
                f"-DBUILD={work / 'port'}", f"-DPORTFILE={folder / 'portfile.cmake'}",
                "-P", work / "port.cmake"]).stdout


def conda_script(recipe):
    """The commands of conda's recipe that build, and those that test."""
    lines = recipe.read_text().splitlines()

    def below(line):
        items = itertools.takewhile(lambda each: each.startswith("  "), lines[lines.index(line) + 1:])
        return [item.strip()[2:] for item in itertools.takewhile(lambda each: each.strip().startswith("- "), items)]

    return below("  script:"), below("  - script:")


def use_recipes(work, archive, folder, tree):
    """Builds and tests by the filled recipes; `tree` holds the sources."""
    (work / "recipes").mkdir()
    must_hold(port(folder / "vcpkg", work, archive, tree), f"/v{version()}/ratchet-{version()}.tar.gz")
    formula(folder / "ratchet.rb", work, "install", work / "brewed", tree)
    build, test = conda_script(folder / "recipe.yaml")
    prefix = work / "conda"
    env = {"PREFIX": str(prefix), "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}
    said = run(["bash", "-euc", "\n".join([*build, *test])], tree=tree, env=env).stdout
    must_hold(said, f"ratchet {version()} (")
    for each in (work / "brewed", prefix):
        must((each / "share/man/man1/ratchet.1").is_file(), f"{each} has the manual")
