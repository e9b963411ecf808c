// Strict reading: every complaint names the place.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "correctness/support/error_of.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;

TEST(JsonNode, ReadsWhatIsThere) {
  const auto json = parse_json(R"({"a": {"text": "x", "rate": 2.5, "count": 3, "on": true,
      "list": [1, 2.5], "texts": {"k": "v"}, "counts": {"n": 7}}})",
                               "it");
  const Node node = Node(json, "it").at("a");
  EXPECT_EQ(node.at("text").text(), "x");
  EXPECT_EQ(node.text_or_empty("none"), "");
  EXPECT_EQ(node.at("rate").positive(), 2.5);
  EXPECT_EQ(node.at("count").count(), 3u);
  EXPECT_TRUE(node.at("on").truth());
  EXPECT_EQ(node.at("list").numbers(), (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(node.list_or_empty("none").empty());
  EXPECT_EQ(node.at("texts").text_map(), (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(node.counts_or_empty("counts"), (std::map<std::string, std::uint64_t>{{"n", 7}}));
  EXPECT_TRUE(node.counts_or_empty("none").empty());
  EXPECT_EQ(node.members().at("count").number(), 3);
}

TEST(JsonNode, ComplaintsNameThePlace) {
  const auto json = parse_json(R"({"a": [{"x": "text"}, {"x": -1}, {"x": 0}]})", "file.json");
  const Node root(json, "file.json");
  const std::vector<Node> list = root.at("a").list();
  EXPECT_EQ(error_of([&] { root.at("b"); }), "file.json: \"b\" is missing");
  EXPECT_EQ(error_of([&] { list[0].at("x").number(); }), "file.json: a[0].x is not a number");
  EXPECT_EQ(error_of([&] { list[1].at("x").text(); }), "file.json: a[1].x is not a text");
  EXPECT_EQ(error_of([&] { list[1].at("x").positive(); }),
            "file.json: a[1].x is not a positive number");
  EXPECT_EQ(error_of([&] { list[2].at("x").positive(); }),
            "file.json: a[2].x is not a positive number");
  EXPECT_EQ(error_of([&] { list[1].at("x").count(); }),
            "file.json: a[1].x is not a whole number from 0");
  EXPECT_EQ(error_of([&] { list[1].at("x").truth(); }),
            "file.json: a[1].x is neither true nor false");
  EXPECT_EQ(error_of([&] { root.at("a").members(); }), "file.json: a is not an object");
  EXPECT_EQ(error_of([&] { root.list(); }), "file.json: is not a list");
  EXPECT_EQ(error_of([&] { list[0].at("x").at("y"); }), "file.json.a[0].x: \"y\" is missing");
}

TEST(ParseJson, TellsWhatIsCutOffFromWhatIsWrong) {
  const auto cut_off = [](const char* text) {
    try {
      parse_json(text, "a text");
    } catch (const NotJson& error) {
      return error.cut_off;
    }
    throw Error("it is JSON");
  };
  for (const char* begin : {"", "{", "{\"a\": [1, 2", "{\"a\": \"b", "{\"a\": tr", "[1, {\"a\":"})
    EXPECT_TRUE(cut_off(begin)) << begin;
  for (const char* wrong : {"{]", "{\"a\" 1}", "[1, 2]]", "{\"a\": trux}", "no text of ours"})
    EXPECT_FALSE(cut_off(wrong)) << wrong;
}

TEST(JsonNode, KeysOfEachText) {
  const std::map<std::string, std::string> texts = {{"a", "1"}, {"b", "2"}, {"c", "1"}};
  const json keys = keys_by_text(texts);
  EXPECT_EQ(keys.dump(), R"({"1":["a","c"],"2":["b"]})");
  EXPECT_EQ(Node(keys, "it").texts_of_keys(), texts);
  EXPECT_EQ(Node(json(texts), "it").texts_of_keys(), texts) << "as older files have it";
  const json twice = {{"1", {"a"}}, {"2", {"a"}}};
  EXPECT_EQ(error_of([&] { Node(twice, "it").texts_of_keys(); }), "it.2[0]: is a key of two texts");
}

TEST(LaunchesText, HasOneLaunchALine) {
  auto output = parse_json(R"({
    "context": {"load_avg": [1, 2.5], "caches": [{"level": 1, "size": 2}, {"level": 2}],
                "history": [{"reason": ""}, {"reason": "b"}],
                "gpu.ecc": null, "gpu.model": "é", "gpu.sms": 132, "mhz": 2,
                "ratchet": {"few": {"a": "1"}, "many": {"a": "1", "b": "2", "c": "", "d": true}}},
    "benchmarks": [{"name": "a/cpu/01", "real_time": 1.5},
                   {"name": "a/cpu/02",
                    "cpu_time": 1e-7}]})",
                           "it");
  const std::string text(280, 'a');
  const std::string fills(280 - std::string(R"(        "a": "1", "b": "")").size(), 'b');
  output["context"]["history"][0]["reason"] = text;
  output["context"]["ratchet"]["many"]["b"] = fills;
  output["context"]["ratchet"]["many"]["c"] = text;
  EXPECT_EQ(launches_text(output, "it"), R"({
  "context": {
    "caches": [{"level":1,"size":2},{"level":2}],
    "gpu.ecc": null, "gpu.model": "é", "gpu.sms": 132,
    "history": [
      {"reason":")" + text + R"("},
      {"reason":"b"}
    ],
    "load_avg": [1,2.5], "mhz": 2,
    "ratchet": {
      "few": {"a":"1"},
      "many": {
        "a": "1", "b": ")" + fills + R"(",
        "c": ")" + text + R"(",
        "d": true
      }
    }
  },
  "benchmarks": [
    {"name":"a/cpu/01","real_time":1.5},
    {"cpu_time":1e-07,"name":"a/cpu/02"}
  ]
}
)");
  EXPECT_EQ(parse_json(launches_text(output, "it"), "it"), output);
  EXPECT_EQ(launches_text(nlohmann::json::object(), std::vector<std::string>()),
            "{\n  \"context\": {},\n  \"benchmarks\": [\n  ]\n}\n");
  EXPECT_NE(error_of([] {
              launches_text(nlohmann::json{{"context", 1}}, "it");
            }).find("it has no"),
            std::string::npos);
}

}  // namespace
}  // namespace ratchet
