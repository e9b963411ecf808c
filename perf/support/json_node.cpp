#include "perf/support/json_node.h"

#include <fmt/format.h>

#include "perf/support/error.h"

namespace ratchet {

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

std::map<std::string, std::uint64_t> Node::counts_or_empty(const char* key) const {
  std::map<std::string, std::uint64_t> result;
  if (!has(key)) return result;
  for (const auto& [name, member] : at(key).members()) result[name] = member.count();
  return result;
}

void Node::fail(const std::string& what) const { throw Error(where_ + ": " + what); }

}  // namespace ratchet
