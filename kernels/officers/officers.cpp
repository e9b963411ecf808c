#include "kernels/officers/officers.h"

#include "kernels/officers/start/start.h"
#include "kernels/officers/values/checkpoint.h"

namespace ratchet::officers {

State state_after(State from, const Result& result) {
  for (const std::uint16_t value : result.values) from.append(value);
  return from;
}

std::unique_ptr<Instance> OfficersStage::prepare(const Parameters& parameters) const {
  return prepare_run(parameters, state_at(parameters.at("start")));
}

std::unique_ptr<Instance> OfficersStage::prepare_input(const Parameters& parameters,
                                                       const std::filesystem::path& file) const {
  return prepare_run(parameters, load_checkpoint(file));
}

std::vector<Parameter> common_parameters(std::uint64_t default_count) {
  return {{"start", kDefaultStart, 0, std::uint64_t{1} << 24, "first position to compute"},
          {"count", default_count, 0, kMaxCount, "values to compute in one run"}};
}

StageInfo officers_stage_info(std::string name, Backend backend, bool verified, std::string summary,
                              std::string section, Limit limit,
                              std::vector<Parameter> parameters) {
  StageInfo info;
  info.name = std::move(name);
  info.backend = backend;
  info.summary = (verified ? "" : "speculative: ") + std::move(summary);
  info.source = section == "ratchet" ? "ratchet" : "002_e9b64fb0624b516a.txt, \"" + section + "\"";
  info.unit = "values";
  info.limit = std::move(limit);
  info.parameters = std::move(parameters);
  return info;
}

}  // namespace ratchet::officers
