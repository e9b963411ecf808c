#include "perf/bench/row_log.h"

#include <nlohmann/json.hpp>

#include "kernels/support/error.h"

namespace ratchet::bench {

RowLog::RowLog(const std::string& path) : out_(path, std::ios::app) {
  if (!out_) throw Error("--ratchet_rows: cannot write " + path);
  reporter_.SetOutputStream(&text_);
}

void RowLog::context(const benchmark::BenchmarkReporter::Context& context) {
  reporter_.ReportContext(context);
  // "{ "context": {...}, "benchmarks": [": closed here, where the reporter would go on.
  const auto opened = nlohmann::ordered_json::parse(text_.str() + "]}");
  line(nlohmann::ordered_json{{"context", opened.at("context")}}.dump());
  text_.str("");
}

void RowLog::rows(const std::vector<benchmark::BenchmarkReporter::Run>& runs) {
  reporter_.ReportRuns(runs);
  std::string text = text_.str();
  text_.str("");
  // Every report but the first begins with the comma after the one before.
  text.erase(0, text.find('{'));
  for (const auto& row : nlohmann::ordered_json::parse("[" + text + "]")) line(row.dump());
}

void RowLog::line(const std::string& json) { out_ << json << std::endl; }

}  // namespace ratchet::bench
