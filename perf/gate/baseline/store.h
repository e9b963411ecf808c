// The stored baselines: <folder>/<machine>/<family>.json.
//
// A machine is the device that a row's time depends on: the GPU for rows of CUDA stages, the CPU
// for rows of CPU stages, even if one process measured both. Its folder is <machine>. The gate
// finds a file by the fingerprint in it; folder names are only for people.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"

namespace ratchet {

struct StoredFile {
  std::filesystem::path path;
  std::string machine;  ///< name of its folder
  std::string family;   ///< stem of its name
  Measurements content;
};

/// Whether a file with this stem in the folder of a machine is not a baseline.
bool is_reserved(const std::string& stem);

/// Whether this baseline was accepted with --allow-unverified.
bool allows_unverified(const Measurements& stored);

class BaselineStore {
 public:
  /// Reads every baseline under `folder` strictly (read_measurements); a missing folder is an empty
  /// store. Skips "published", "metrics", "selftest" and reserved files (*_timesink.json,
  /// *_survey.json, *_sweep*.json, *_build_settings.json, peaks.json). Throws `Error` for a row of
  /// another family than the file's. Also for a row without a check, unless the file allows it.
  explicit BaselineStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<StoredFile>& files() const { return files_; }

  /// The file with rows of this family and device under a fingerprint that matches `here`; nullptr
  /// when there is none. Throws `Error` naming both files when there are two.
  const StoredFile* find(const std::string& family, Device device, const Fingerprint& here) const;
  const StoredFile* find(const RowId& row, const Fingerprint& here) const {
    return find(row.family(), row.device(), here);
  }

  /// Whether anything is stored of this device under `here`.
  bool knows(Device device, const Fingerprint& here) const;

  /// The baseline of one row under `here`; nullptr when there is none.
  const Row* find_row(const RowId& name, const Fingerprint& here) const;

  /// The file at <folder>/<machine>/<family>.json, or nullptr.
  const StoredFile* at(const std::string& machine, const std::string& family) const;

 private:
  std::filesystem::path folder_;
  std::vector<StoredFile> files_;
};

}  // namespace ratchet
