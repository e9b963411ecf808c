// A JSON value with its path, for strict reading of files that ratchet wrote. Errors name the path.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet {

/// Every reader throws `Error` beginning with the path: "FILE.tables[2].rows[0].label: is not a
/// text". Holds a reference to the value, which must outlive it.
class Node {
 public:
  Node(const nlohmann::json& value, std::string where) : value_(value), where_(std::move(where)) {}

  const nlohmann::json& value() const { return value_; }
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  Node at(const char* key) const;
  std::string text() const;
  std::string text_or_empty(const char* key) const { return has(key) ? at(key).text() : ""; }
  double number() const;
  double positive() const;
  std::uint64_t count() const;  ///< an integer from 0
  bool truth() const;
  std::vector<Node> list() const;
  /// The elements of the list `key`, none where there is no such key.
  std::vector<Node> list_or_empty(const char* key) const;
  std::vector<double> numbers() const;  ///< a list of numbers
  /// The members of an object, by key.
  std::map<std::string, Node> members() const;
  std::map<std::string, std::string> text_map() const;
  /// An object of integers from 0, such as {"width": 4096}; {} where there is no such key.
  std::map<std::string, std::uint64_t> counts_or_empty(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace ratchet
