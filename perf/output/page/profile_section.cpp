#include <fmt/format.h>

#include "perf/gate/programs/profile.h"
#include "perf/output/page/sections.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

constexpr std::size_t most_of_a_name = 400;

double cost(const Node& node) {
  const double value = node.number();
  if (value < 0) node.fail("is negative");
  return rounded(value, 6);
}

json function_model(const Node& function) {
  json model = {{"function", printable(function.at("function").text(), most_of_a_name)},
                {"before", cost(function.at("before"))},
                {"now", cost(function.at("now"))}};
  if (function.has("error")) model["error"] = cost(function.at("error"));
  if (const std::string only = function.text_or_empty("only"); !only.empty())
    model["only"] = printable(only, 10);
  return model;
}

/// "axpy: registers of a thread 32 -> 64; ..." of kernels in both builds.
std::string changed_kernels(const Node& profile) {
  constexpr std::size_t most = 20;
  std::string text;
  std::size_t count = 0;
  for (const Node& function : profile.at("functions").list()) {
    if (!function.has("counters") || function.has("only")) continue;
    gate::Counters before, now;
    for (const auto& [name, counter] : function.at("counters").members()) {
      const double error = counter.has("error") ? counter.at("error").number() / 2 : 0;
      if (counter.has("before")) before[name] = {counter.at("before").number(), error * error};
      if (counter.has("now")) now[name] = {counter.at("now").number(), 0};
    }
    const std::string changed = gate::changed_counters(before, now);
    if (changed.empty() || ++count > most) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ",
                        printable(function.at("function").text(), most_of_a_name), changed);
  }
  return count > most ? fmt::format("{}; and those of {} more", text, count - most) : text;
}

/// A parent stands before its children, so that the page needs one pass.
json tree_model(const Node& profile) {
  json tree = json::array();
  for (const Node& node : profile.at("tree").list()) {
    const std::uint64_t parent = node.at("parent").count();
    if (parent >= tree.size() && !(parent == 0 && tree.empty()))
      node.at("parent").fail("is not the index of an earlier node");
    tree.push_back({{"parent", parent},
                    {"function", printable(node.at("function").text(), most_of_a_name)},
                    {"before", cost(node.at("before"))},
                    {"now", cost(node.at("now"))}});
  }
  return tree;
}

json profile_model(const Node& profile) {
  const Node before = profile.at("before"), now = profile.at("now");
  json model = {{"row", printable(profile.at("row").text(), 1024)},
                {"tool", printable(profile.at("tool").text(), 20)},
                {"unit", printable(profile.at("unit").text(), 20)},
                {"before", cost(before.at("total"))},
                {"now", cost(now.at("total"))},
                {"functions", json::array()},
                {"tree", tree_model(profile)}};
  for (const Node& function : profile.at("functions").list())
    model["functions"].push_back(function_model(function));
  const auto add_fact = [&](const char* name, const std::string& text) {
    model["facts"].push_back(json::array({name, text}));
  };
  add_fact("before", fmt::format("{:.12} ({})", printable(before.at("commit").text()),
                                 printable(before.at("why").text(), 100)));
  add_fact("now", printable(profile.at("revision").text(), 60));
  add_fact("recorded", printable(profile.at("time").text(), 40));
  add_fact("by", model["tool"] == "perf"
                     ? fmt::format("perf: {} and {} samples of time in the row",
                                   before.at("samples").count(), now.at("samples").count())
                 : model["tool"] == "ncu" ? "ncu: time of CUDA kernels, one after the other"
                                          : "Callgrind: executed instructions, which are not time");
  if (const std::string changed = changed_kernels(profile); !changed.empty())
    add_fact("counters that changed", changed);
  if (const std::string why = profile.text_or_empty("not_perf"); !why.empty())
    add_fact("not by perf", printable(why, 300));
  return model;
}

}  // namespace

json profile_section(const std::filesystem::path& file) {
  const json root = read_json(file);
  json profiles = json::array();
  for (const Node& profile : Node(root, file.string()).at("profiles").list())
    profiles.push_back(profile_model(profile));
  return {{"kind", "profile"}, {"title", "Functions"}, {"profiles", profiles}};
}

}  // namespace ratchet::report
