// A folder of its own for each test, and the text of baselines, good and bad.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "correctness/support/error_of.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {

namespace fs = std::filesystem;

inline void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

inline std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Baseline : public testing::Test {
 protected:
  fs::path folder() const { return scratch_.path(); }
  fs::path file() const { return folder() / "box-2c" / "demo.json"; }

  /// One launch of a row as a file holds it.
  static std::string launch(const std::string& name, int index, const std::string& extra = "") {
    return "{\"name\":\"" + name +
           "\",\"run_type\":\"iteration\",\"repetition_index\":" + std::to_string(index) +
           ",\"iterations\":1,\"real_time\":2.0,\"cpu_time\":0,\"time_unit\":\"ms\",\"units\":1000,"
           "\"units_per_second\":500000,\"verified\":1" +
           extra + "}";
  }
  static std::string document(const std::string& rows, const std::string& cpu = "Box") {
    return "{\"context\":{\"cpu.model\":\"" + cpu +
           "\",\"cpu.cores\":\"2\",\"ratchet\":{\"format\":1}},\"benchmarks\":[" + rows + "]}";
  }
  /// What reading this document complains about; it must begin with the file's name.
  std::string complaint_about(const std::string& text) {
    write(file(), text);
    const std::string what = error_of([&] { read_measurements(file()); });
    EXPECT_TRUE(what.starts_with(file().string())) << what;
    return what;
  }

  ScratchFolder scratch_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

/// A document of one row in which `from` is replaced by `to`.
inline std::string swapped(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace ratchet
