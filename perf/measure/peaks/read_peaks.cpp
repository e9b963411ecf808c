// Apart from what measures, which the tool alone does not have.
#include "perf/measure/peaks/peaks.h"
#include "perf/support/json_file.h"

namespace ratchet::peaks {

std::map<std::string, double> read_peaks(const std::string& file) {
  const nlohmann::json json = read_json(file);
  const Node root(json, file);
  std::map<std::string, double> peaks;
  // "ceilings" in earlier files.
  for (const Node& each : root.at(root.has("ceilings") ? "ceilings" : "peaks").list()) {
    const Node resource = each.at("resource");
    if (!peaks.emplace(resource.text(), each.at("per_second").positive()).second)
      resource.fail("the resource " + resource.text() + " appears twice");
  }
  return peaks;
}

}  // namespace ratchet::peaks
