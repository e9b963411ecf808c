// The stored baselines: <folder>/<machine>/<family>.json.
//
// A machine is the device that a row's time depends on: rows of CUDA stages lie in the folder of
// the GPU, rows of CPU stages in that of the CPU, though one process measured both. Folders are
// found by the fingerprint inside their files; their names are for people.
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

/// Whether a file of this stem lies beside the baselines, and is none.
bool is_reserved(const std::string& stem);

/// Whether whoever accepted this baseline let rows in that nobody checks.
bool allows_unverified(const Measurements& stored);

class BaselineStore {
 public:
  /// Reads every baseline under `folder` strictly (read_measurements); an absent folder is an empty
  /// store. "published", "metrics" and files that hold something else (*_timesink.json,
  /// *_survey.json, *_sweep*.json, *_build_settings.json, peaks.json) are passed over. Throws
  /// `Error` for a row of another family than the file's name says, and for one that nobody checked
  /// where the file does not allow that.
  explicit BaselineStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<StoredFile>& files() const { return files_; }

  /// The file that holds rows of this family and device measured under a fingerprint equal to
  /// `here`; nullptr when there is none. Throws `Error` naming both files when there are two.
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
