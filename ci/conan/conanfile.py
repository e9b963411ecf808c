"""The program `ratchet`, and what benchmarks link (ratchet::timing, ratchet::bench), as a Conan package:

  conan create ci/conan --build=missing

What it is built with comes from the system; Conan names missing packages, or installs them with
-c tools.system.package_manager:mode=install.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

ROOT = os.path.join("..", "..")
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "ci/cmake/*", "kernels/CMakeLists.txt", "kernels/availability.cpp",
           "kernels/contract/*", "kernels/support/*", "perf/*"]
DEBIAN = ["libbenchmark-dev", "libboost-dev", "libcli11-dev", "libelf-dev", "libfmt-dev", "libhwy-dev",
          "libsqlite3-dev", "nlohmann-json3-dev"]


class Ratchet(ConanFile):
    name = "ratchet"
    description = "A performance-regression gate for fast kernels"
    license = "Apache-2.0"
    topics = ("benchmark", "performance", "regression", "cuda")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "static-library"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"^project\(ratchet VERSION ([0-9.]+)", text, re.M)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("ratchet runs on Linux only")

    def system_requirements(self):
        Apt(self).install(DEBIAN, check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.blocks.remove("output_dirs")  # with it libexec/ratchet/ would be bin/ratchet, the program's name
        toolchain.cache_variables.update(RATCHET_TOOL_ONLY=True, RATCHET_LIBRARY=True, RATCHET_CUDA=False)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package has its own ratchetConfig.cmake
        self.cpp_info.builddirs = ["lib/cmake/ratchet"]
        self.cpp_info.bindirs = ["bin"]
