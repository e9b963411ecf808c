// A time sink as Markdown, and several as a file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "perf/study/time_sink/time_sink.h"
#include "perf/support/json_file.h"

namespace ratchet::timing {
namespace {

nlohmann::json json_of(const TimeSink& sink) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TimeSinkRow& row : sink.rows)
    rows.push_back({{"type", row.type},
                    {"name", row.name},
                    {"calls", row.calls},
                    {"seconds", row.seconds},
                    {"share", row.share}});
  return {{"stage", sink.stage},
          {"first", sink.first},
          {"measured_by", sink.measured_by},
          {"program_seconds", sink.program_seconds},
          {"before_seconds", sink.before_seconds},
          {"wall_seconds", sink.wall_seconds},
          {"start_up_seconds", sink.start_up_seconds},
          {"start_up_call", sink.start_up_call},
          {"launch_seconds", sink.launch_seconds},
          {"synchronize_seconds", sink.synchronize_seconds},
          {"kernel_seconds", sink.kernel_seconds},
          {"outside_seconds", sink.outside_seconds},
          {"rows", rows}};
}

TimeSink sink_of(const Node& root) {
  TimeSink sink;
  sink.stage = root.at("stage").text();
  sink.first = root.at("first").text();
  sink.measured_by = root.at("measured_by").text();
  for (const auto& [name, field] : {std::pair("program_seconds", &sink.program_seconds),
                                    std::pair("before_seconds", &sink.before_seconds),
                                    std::pair("wall_seconds", &sink.wall_seconds),
                                    std::pair("start_up_seconds", &sink.start_up_seconds),
                                    std::pair("launch_seconds", &sink.launch_seconds),
                                    std::pair("synchronize_seconds", &sink.synchronize_seconds),
                                    std::pair("kernel_seconds", &sink.kernel_seconds),
                                    std::pair("outside_seconds", &sink.outside_seconds)})
    *field = root.at(name).number();
  sink.start_up_call = root.at("start_up_call").text();
  for (const Node& row : root.at("rows").list())
    sink.rows.push_back({row.at("type").text(), row.at("name").text(), row.at("calls").count(),
                         row.at("seconds").number(), row.at("share").number()});
  return sink;
}

}  // namespace

std::string to_markdown(const TimeSink& sink) {
  std::string text = fmt::format(
      "{}: {:.3f} ms from the first CUDA call to the result, of which {:.3f} ms on the GPU and "
      "{:.3f} ms outside of CUDA calls; {:.3f} ms of CPU time before\n",
      sink.stage, 1e3 * sink.wall_seconds, 1e3 * sink.kernel_seconds, 1e3 * sink.outside_seconds,
      1e3 * sink.before_seconds);
  if (sink.program_seconds > 0)
    text += fmt::format("The whole process, unobserved: {:.3f} ms\n", 1e3 * sink.program_seconds);
  text += "\n| Type | Time (%) | Time | Calls | Name |\n|---|---:|---:|---:|---|\n";
  for (const TimeSinkRow& row : sink.rows)
    text += fmt::format("| {} | {:.2f} | {:.3f} ms | {} | `{}` |\n", row.type, 100 * row.share,
                        1e3 * row.seconds, row.calls, row.name);
  return text;
}

std::string to_json(const std::vector<TimeSink>& sinks) {
  nlohmann::json list = nlohmann::json::array();
  for (const TimeSink& sink : sinks) list.push_back(json_of(sink));
  return pretty({{"time_sinks", list}}, 1) + "\n";
}

std::vector<TimeSink> time_sinks_from_json(const std::string& text, const std::string& what) {
  const nlohmann::json parsed = parse_json(text, what);
  std::vector<TimeSink> sinks;
  for (const Node& sink : Node(parsed, what).at("time_sinks").list())
    sinks.push_back(sink_of(sink));
  return sinks;
}

}  // namespace ratchet::timing
