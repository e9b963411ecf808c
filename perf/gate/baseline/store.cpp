#include "perf/gate/baseline/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_reserved(const std::string& stem) {
  return stem == "peaks" || stem == "limits" || stem.ends_with("_timesink") ||
         stem.ends_with("_limits") || stem.ends_with("_survey") ||
         stem.ends_with("_build_settings") || stem.find("_sweep") != std::string::npos;
}

namespace {

StoredFile load(const fs::path& path) {
  StoredFile file{path, path.parent_path().filename().string(), path.stem().string(),
                  read_measurements(path)};
  for (const auto& [name, row] : file.content.rows) {
    if (name.family() != file.family)
      throw Error(
          fmt::format("{}, row {}: the row belongs to another family than the file; move it there",
                      path.string(), name));
    if (!is_verified(row) && !allows_unverified(file.content))
      throw Error(fmt::format(
          "{}, row {}: no test checked its results, and the file does not allow this "
          "(context.ratchet.unverified); remove the row, then accept it with --allow-unverified",
          path.string(), name));
  }
  return file;
}

bool holds(const StoredFile& file, Device device) {
  return std::any_of(file.content.rows.begin(), file.content.rows.end(),
                     [&](const auto& row) { return row.first.device() == device; });
}

}  // namespace

bool allows_unverified(const Measurements& stored) {
  const auto ratchet = stored.context.value("ratchet", nlohmann::json::object());
  return ratchet.is_object() && ratchet.value("unverified", nlohmann::json()) == "allowed";
}

BaselineStore::BaselineStore(fs::path folder) : folder_(std::move(folder)) {
  for (const fs::path& machine : sorted_entries(folder_)) {
    if (!fs::is_directory(machine) || machine.filename() == "published" ||
        machine.filename() == "metrics" || machine.filename() == "selftest")
      continue;
    for (const fs::path& path : sorted_entries(machine)) {
      if (path.extension() == ".json" && !is_reserved(path.stem().string()))
        files_.push_back(load(path));
    }
  }
}

const StoredFile* BaselineStore::find(const std::string& family, Device device,
                                      const Fingerprint& here) const {
  const StoredFile* found = nullptr;
  for (const StoredFile& file : files_) {
    if (file.family != family || !holds(file, device)) continue;
    if (!file.content.fingerprint().matches(here, device)) continue;
    if (found)
      throw Error(fmt::format("{} and {} are both baselines of this machine; remove one",
                              found->path.string(), file.path.string()));
    found = &file;
  }
  return found;
}

bool BaselineStore::knows(Device device, const Fingerprint& here) const {
  return std::any_of(files_.begin(), files_.end(), [&](const StoredFile& file) {
    const auto of_device = [&](const auto& row) { return row.first.device() == device; };
    return std::any_of(file.content.rows.begin(), file.content.rows.end(), of_device) &&
           file.content.fingerprint().matches(here, device);
  });
}

const Row* BaselineStore::find_row(const RowId& name, const Fingerprint& here) const {
  const StoredFile* file = find(name, here);
  if (!file) return nullptr;
  const auto row = file->content.rows.find(name);
  return row == file->content.rows.end() ? nullptr : &row->second;
}

const StoredFile* BaselineStore::at(const std::string& machine, const std::string& family) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const StoredFile& file) {
    return file.machine == machine && file.family == family;
  });
  return found == files_.end() ? nullptr : &*found;
}

}  // namespace ratchet
