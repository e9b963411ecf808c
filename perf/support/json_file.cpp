#include "perf/support/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <list>
#include <utility>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/printable.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// Deepest nesting of arrays and objects; looked at before parsing so that a file of a million
/// brackets costs nothing.
int nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

/// Builds a value, and refuses a key that one object holds twice, or passes it over. The library's
/// own parser with a callback looks through the whole array at the end of each of its objects.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(const std::string& what, bool first_counts) : what_(what), first_counts_(first_counts) {}

  json& root() { return root_; }
  const std::string& complaint() const { return complaint_; }
  /// How many bytes were read before that.
  std::size_t complained_at() const { return complained_at_; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(json::binary_t& value) override { return put(json::binary(std::move(value))); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    const auto [entry, fresh] = open_.back()->emplace(name, nullptr);
    if (!fresh && !first_counts_)
      throw Error(fmt::format("{}: the key \"{}\" appears twice in one object", what_,
                              printable(name, 80)));
    member_ = fresh ? &*entry : &passed_over_.emplace_back();
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const json::exception& error) override {
    complaint_ = error.what();
    complained_at_ = at;
    return false;
  }

 private:
  bool put(json value) {
    place(std::move(value));
    return true;
  }
  /// Nothing is added to what is open below while this is filled, so that it stays where it is.
  json& place(json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_array()) return open_.back()->emplace_back(std::move(value));
    return *member_ = std::move(value);
  }
  bool open(json empty) {
    open_.push_back(&place(std::move(empty)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& what_;
  bool first_counts_;
  std::string complaint_;
  std::size_t complained_at_ = 0;
  json root_;
  std::list<json> passed_over_;
  std::vector<json*> open_;
  json* member_ = nullptr;  ///< where the value of the last key goes
};

/// Neither an object nor a list that holds one.
bool is_flat(const json& value) {
  const auto structured = [](const json& element) { return element.is_structured(); };
  return !value.is_object() && std::ranges::none_of(value, structured);
}

}  // namespace

json parse_json(std::string_view text, const std::string& what, const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    throw Error(fmt::format("{} is larger than {} MiB and was not read", what, limits.bytes >> 20));
  // The parser would pass over the first of these marks, and complain of the others obscurely.
  if (text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") ||
      text.starts_with("\xfe\xff"))
    throw Error(what + " begins with a byte order mark; save it as UTF-8 without one");
  if (text.empty()) throw NotJson(what + " is empty, and so not valid JSON", true);
  if (nesting(text) > limits.depth)
    throw Error(fmt::format("{} nests deeper than {} levels and was not read", what, limits.depth));
  Builder builder(what, limits.first_key_counts);
  if (json::sax_parse(text, &builder)) return std::move(builder.root());
  // Their messages begin "[json.exception.parse_error.101] "; the rest is for people. They quote
  // the text as it is, however long.
  std::string message = builder.complaint();
  if (const auto end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
  throw NotJson(fmt::format("{} is not valid JSON: {}", what, printable(message, 200)),
                builder.complained_at() > text.size());
}

NotJson with_advice(const NotJson& error) {
  return {std::string(error.what()) + "; restore the file, or make it anew", error.cut_off};
}

json read_json(const std::filesystem::path& file, const JsonLimits& limits) {
  const std::string text = read_text(file, limits.bytes);
  try {
    return parse_json(text, file.string(), limits);
  } catch (const NotJson& error) {
    throw with_advice(error);
  }
}

json tidy_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9007199254740992.0)
    return static_cast<std::int64_t>(value);
  // Not std::stod, which throws for the smallest of numbers.
  const double rounded = std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr);
  if (rounded == std::floor(rounded) && std::fabs(rounded) < 9007199254740992.0)
    return static_cast<std::int64_t>(rounded);
  return rounded;
}

std::string pretty(const json& value, int levels, int indent) {
  const auto text_of = [](const json& part) {
    // Texts of other programs need not be UTF-8; they must not cost the file.
    return part.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  const std::string outer(static_cast<std::size_t>(indent), ' ');
  std::string text;
  constexpr std::size_t most_columns = 280;
  const bool last = value.is_object() ? levels == 1 && indent > 0 : value.is_array();
  if (last && text_of(value).size() <= most_columns) return text_of(value);
  if (value.is_object() && levels > 0 && !value.empty()) {
    std::size_t columns = most_columns;  // of the line so far, if another flat member may follow
    for (const auto& [key, element] : value.items()) {
      const std::string member =
          fmt::format("{}: {}", text_of(json(key)), pretty(element, levels - 1, indent + 2));
      const bool joins = is_flat(element) && columns + 2 + member.size() <= most_columns;
      text += (text.empty() ? inner : joins ? ", " : ",\n" + inner) + member;
      columns =
          !is_flat(element) ? most_columns : (joins ? columns + 2 : inner.size()) + member.size();
    }
    return "{\n" + text + "\n" + outer + "}";
  }
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const json& element : value)
      text += fmt::format("{}{}{}", text.empty() ? "" : ",\n", inner, text_of(element));
    return "[\n" + text + "\n" + outer + "]";
  }
  return text_of(value);
}

namespace {
std::streambuf* const standard_output = std::cout.rdbuf();
}  // namespace

void leave_stdout_to_json() { std::cout.rdbuf(std::cerr.rdbuf()); }

void print_document(const json& value, int levels) {
  hide_progress();  // a line of it may stand where the document begins
  std::ostream(standard_output) << pretty(value, levels) << std::endl;
}

json keys_by_text(const std::map<std::string, std::string>& texts) {
  json keys = json::object();
  for (const auto& [key, text] : texts) keys[text].push_back(key);
  return keys;
}

std::string launches_text(const json& context, const std::vector<std::string>& launches) {
  return fmt::format("{{\n  \"context\": {},\n  \"benchmarks\": [{}{}\n  ]\n}}\n",
                     pretty(context, 3, 2), launches.empty() ? "" : "\n    ",
                     fmt::join(launches, ",\n    "));
}

std::string launches_text(const json& output, const std::string& what) {
  if (!output.is_object() || !output.contains("context") || !output.contains("benchmarks") ||
      !output["benchmarks"].is_array())
    throw Error(what + " has no \"context\" with an array \"benchmarks\"");
  std::vector<std::string> launches;
  for (const json& launch : output["benchmarks"]) launches.push_back(pretty(launch, 0));
  return launches_text(output["context"], launches);
}

Node Node::at(const char* key) const {
  if (!has(key)) fail(fmt::format("\"{}\" is missing", key));
  return {value_[key], where_ + "." + key};
}

std::string Node::text() const {
  if (!value_.is_string()) fail("is not a text");
  return value_.get<std::string>();
}

double Node::number() const {
  if (!value_.is_number()) fail("is not a number");
  return value_.get<double>();
}

double Node::positive() const {
  if (!value_.is_number() || !(value_.get<double>() > 0)) fail("is not a positive number");
  return value_.get<double>();
}

bool Node::truth() const {
  if (!value_.is_boolean()) fail("is neither true nor false");
  return value_.get<bool>();
}

std::vector<Node> Node::list() const {
  if (!value_.is_array()) fail("is not a list");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < value_.size(); ++i)
    nodes.emplace_back(value_[i], fmt::format("{}[{}]", where_, i));
  return nodes;
}

std::uint64_t Node::count() const {
  // A value that this process built may be of a signed type.
  const bool whole = value_.is_number_integer() &&
                     (value_.is_number_unsigned() || value_.get<std::int64_t>() >= 0);
  if (!whole) fail("is not a whole number from 0");
  return value_.get<std::uint64_t>();
}

std::vector<Node> Node::list_or_empty(const char* key) const {
  return has(key) ? at(key).list() : std::vector<Node>();
}

std::vector<double> Node::numbers() const {
  std::vector<double> values;
  for (const Node& each : list()) values.push_back(each.number());
  return values;
}

std::map<std::string, Node> Node::members() const {
  if (!value_.is_object()) fail("is not an object");
  std::map<std::string, Node> result;
  for (const auto& [key, element] : value_.items())
    result.emplace(key, Node(element, where_ + "." + key));
  return result;
}

std::map<std::string, std::string> Node::text_map() const {
  std::map<std::string, std::string> result;
  for (const auto& [key, member] : members()) result[key] = member.text();
  return result;
}

std::map<std::string, std::string> Node::texts_of_keys() const {
  std::map<std::string, std::string> result;
  for (const auto& [text, keys] : members()) {
    if (keys.value().is_string()) {
      result[text] = keys.text();
      continue;
    }
    for (const Node& key : keys.list()) {
      if (!result.emplace(key.text(), text).second) key.fail("is a key of two texts");
    }
  }
  return result;
}

std::map<std::string, std::uint64_t> Node::counts_or_empty(const char* key) const {
  std::map<std::string, std::uint64_t> result;
  if (!has(key)) return result;
  for (const auto& [name, member] : at(key).members()) result[name] = member.count();
  return result;
}

/// "gate.json: rows.a is not a list"
void Node::fail(const std::string& what) const {
  const std::string end = ".json.";
  const std::size_t at = where_.find(end);
  if (at == std::string::npos || !what.starts_with("is ")) throw Error(where_ + ": " + what);
  const std::size_t file = at + end.size() - 1;
  throw Error(where_.substr(0, file) + ": " + where_.substr(file + 1) + " " + what);
}

}  // namespace ratchet
