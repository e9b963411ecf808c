"""The example repository (ci/examples/kernels) against the package."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Test(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.cache_variables["CMAKE_PREFIX_PATH"] = self.dependencies["ratchet"].package_folder
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join(self.recipe_folder, "..", "..", "examples", "kernels"))
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.build_folder, "dot-bench") + " --ratchet_check_only")
            self.run(os.path.join(self.dependencies["ratchet"].package_folder, "bin", "ratchet") + " --version")
