// perf/support/vega: the converter, stale drawings, and colours that people tell apart.
#include "perf/output/drawing/vega.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/support/files.h"

namespace ratchet::vega {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json dot(const std::string& title) {
  json spec = titled(title);
  spec["data"] = {{"values", {{{"x", 1}, {"y", 2}}}}};
  spec["mark"] = "point";
  spec["encoding"] = {{"x", {{"field", "x"}, {"type", "quantitative"}}}};
  return spec;
}

/// In one order for both themes.
std::vector<std::string> colours_of(Theme theme) {
  const json look = config(theme);
  auto colours = look.at("range").at("category").get<std::vector<std::string>>();
  for (const char* part : {"labelColor", "gridColor", "domainColor"})
    colours.push_back(look.at("axis").at(part));
  colours.push_back(look.at("background"));
  return colours;
}

TEST(Vega, DrawsInLightAndDarkAndKnowsWhatIsStale) {
  const ScratchFolder scratch;
  const Drawing drawing{scratch.path() / "dot.svg", dot("<a & b>")};
  const std::string missing = draw({drawing});
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string drawn = read_text(drawing.file);
  EXPECT_HAS(drawn, "&lt;a &amp; b&gt;");
  EXPECT_HAS(drawn, "<style>@media (prefers-color-scheme:dark){[fill=\"#ffffff\"]{fill:#0d1117}");
  // Each colour of the light theme that is drawn has its rule, and no other.
  const auto light = colours_of(Theme::light), dark = colours_of(Theme::dark);
  ASSERT_EQ(light.size(), dark.size());
  const std::size_t body = drawn.find("</style>");
  int ruled = 0;
  for (std::size_t i = 0; i < light.size(); ++i)
    for (const std::string attribute : {"fill", "stroke"}) {
      const std::string has = attribute + "=\"" + light[i] + "\"";
      const bool rule = drawn.find("[" + has + "]{" + attribute + ":" + dark[i] + "}") < body;
      EXPECT_EQ(rule, drawn.find(" " + has, body) != std::string::npos) << has;
      ruled += rule;
    }
  EXPECT_GE(ruled, 5);
  EXPECT_EQ(json::parse(read_text(scratch.path() / "dot.vl.json")), drawing.spec);
  EXPECT_EQ(stale(drawing), "");
  EXPECT_NE(stale({drawing.file, dot("another")}).find("other figures"), std::string::npos);
  std::string edited = drawn;
  edited.replace(edited.find("#ffffff"), 7, "#fffffe");
  write_atomically(drawing.file, edited);
  EXPECT_NE(stale(drawing).find("was edited"), std::string::npos);
  write_atomically(drawing.file, "<svg/>");
  EXPECT_NE(stale(drawing).find("does not name its specification"), std::string::npos);
  fs::remove(drawing.file);
  EXPECT_NE(stale(drawing).find("dot.svg is missing"), std::string::npos);
}

TEST(Vega, ARefusedSpecificationIsNamedAndNothingIsLost) {
  const ScratchFolder scratch;
  const std::string missing = draw({{scratch.path() / "dot.svg", dot("here")}});
  if (!missing.empty()) GTEST_SKIP() << missing;
  json bad = dot("bad");
  bad["mark"] = "unheard of";
  const std::string error = error_of([&] {
    draw({{scratch.path() / "dot.svg", dot("there")}, {scratch.path() / "bad.svg", bad}});
  });
  EXPECT_HAS(error, "bad.vl.json");
  EXPECT_EQ(stale({scratch.path() / "dot.svg", dot("here")}), "");
  EXPECT_FALSE(fs::exists(scratch.path() / "bad.svg"));
}

TEST(Vega, WithoutTheConverterTheSpecificationIsLeft) {
  const ScratchFolder scratch;
  const std::string path = std::getenv("PATH");
  // A python3 that has no vl_convert, and one that is not there.
  write_atomically(scratch.path() / "with" / "python3", "#!/bin/sh\nexit 77\n");
  fs::permissions(scratch.path() / "with" / "python3", fs::perms::owner_all);
  fs::create_directory(scratch.path() / "without");
  for (const char* name : {"sh", "env"})
    fs::create_symlink(
        fs::exists("/bin/sh") && std::string(name) == "sh" ? "/bin/sh" : "/usr/bin/env",
        scratch.path() / "without" / name);
  for (const std::string& where :
       {(scratch.path() / "with").string() + ":" + path, (scratch.path() / "without").string()}) {
    setenv("PATH", where.c_str(), 1);
    const std::string missing = draw({{scratch.path() / "dot.svg", dot("here")}});
    setenv("PATH", path.c_str(), 1);
    EXPECT_HAS(missing, "vl_convert is missing; run");
    EXPECT_TRUE(fs::exists(scratch.path() / "dot.vl.json"));
    EXPECT_FALSE(fs::exists(scratch.path() / "dot.svg"));
    fs::remove(scratch.path() / "dot.vl.json");
  }
}

using Triple = std::array<double, 3>;

Triple linear(const std::string& colour) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// WCAG 2.2, "contrast ratio".
double contrast(const std::string& one, const std::string& other) {
  const auto luminance = [](const Triple& c) {
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  };
  const double a = luminance(linear(one)), b = luminance(linear(other));
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

/// What is seen: of all colours, by protanopes, by deuteranopes (Machado, Oliveira and Fernandes
/// 2009, severity 1).
using Matrix = std::array<Triple, 3>;
const std::array<Matrix, 3> sights = {{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                       {{{0.152286, 1.052583, -0.204868},
                                         {0.114503, 0.786281, 0.099216},
                                         {-0.003882, -0.048116, 1.051998}}},
                                       {{{0.367322, 0.860646, -0.227968},
                                         {0.280085, 0.672501, 0.047413},
                                         {-0.011820, 0.042940, 0.968881}}}}};

/// CIE L*a*b*, D65.
Triple lab(const Triple& rgb) {
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047;
  const double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  const double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883;
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

/// CIE76; 2.3 is just noticeable.
double difference(const std::string& one, const std::string& other, const Matrix& sight) {
  const auto seen = [&](const std::string& colour) {
    const Triple rgb = linear(colour);
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i)
      out[i] =
          std::clamp(sight[i][0] * rgb[0] + sight[i][1] * rgb[1] + sight[i][2] * rgb[2], 0.0, 1.0);
    return lab(out);
  };
  const Triple a = seen(one), b = seen(other);
  return std::sqrt(std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2) + std::pow(a[2] - b[2], 2));
}

TEST(Vega, ColoursAreToldApartByEverybody) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const json look = config(theme);
    const auto colours = look.at("range").at("category").get<std::vector<std::string>>();
    ASSERT_EQ(colours.size(), 8u);
    for (std::size_t i = 0; i < colours.size(); ++i) {
      EXPECT_GE(contrast(colours[i], look.at("background")), 3) << colours[i];
      for (std::size_t j = 0; j < i; ++j)
        for (const Matrix& sight : sights)
          EXPECT_GE(difference(colours[i], colours[j], sight), 15)
              << colours[i] << " " << colours[j];
    }
    EXPECT_GE(contrast(look.at("axis").at("labelColor"), look.at("background")), 7);
  }
}

}  // namespace
}  // namespace ratchet::vega
