#include "kernels/support/ranks/module.h"

#include <dlfcn.h>

#include <filesystem>

#include "perf/support/error.h"

namespace ratchet::ranks {

std::string module_file() {
#ifdef RATCHET_RANKS_MODULE
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) return (self.parent_path().parent_path() / "lib" / RATCHET_RANKS_MODULE).string();
#endif
  return "";
}

JoinJob open_module() {
  const std::string file = module_file();
  if (file.empty())
    throw Error(
        "this program is one of several ranks, but was built without MPI; install "
        "libopenmpi-dev, and build again");
  // Global, since plug-ins that MPI loads may need MPI's symbols.
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    throw Error("cannot load MPI: " + std::string(dlerror()) + "; build this program again");
  void* const function = dlsym(module, "ratchet_join_job");
  if (!function)
    throw Error("cannot load MPI: " + file + " is of another version; build this program again");
  return reinterpret_cast<JoinJob>(function);
}

}  // namespace ratchet::ranks
