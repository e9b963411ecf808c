#include "kernels/officers/officers.h"

#include "kernels/officers/start/start.h"
#include "kernels/officers/values/checkpoint.h"

namespace ratchet::officers {

State state_after(State from, const Result& result) {
  from.append(result.values);
  return from;
}

std::unique_ptr<Instance> OfficersStage::prepare(const Parameters& parameters) const {
  return prepare_run(parameters, state_at(parameters.at("start")));
}

std::unique_ptr<Instance> OfficersStage::prepare_input(const Parameters& parameters,
                                                       const std::string& file) const {
  return prepare_run(parameters, load_checkpoint(file));
}

std::vector<Parameter> common_parameters(std::uint64_t default_count) {
  return {{"start", kDefaultStart, 0, std::uint64_t{1} << 24, "first position to compute"},
          {"count", default_count, 0, kMaxCount, "values to compute in one run"}};
}

std::vector<Parameter> far_parameters(std::uint64_t default_count) {
  std::vector<Parameter> parameters = common_parameters(default_count);
  parameters[0].max = std::uint64_t{1} << 32;
  return parameters;
}

std::string of_text(const std::string& section) {
  return "mvr, Officers on the GPU, \"" + section + "\"";
}

StageInfo stage_info(StageInfo info, bool verified) {
  info.backend = backend_of_process(info.name);
  if (!verified) info.summary = "speculative: " + info.summary;
  info.unit = "values";
  info.size = "count";
  if (info.sanitizer_run.empty()) info.sanitizer_run = {{"start", 4096}, {"count", 16}};
  return info;
}

}  // namespace ratchet::officers
