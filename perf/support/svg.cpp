#include "perf/support/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ratchet::svg {
namespace {

constexpr const char* common_style =
    "text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}"
    ".grid{stroke:#ddd}.axis{stroke:#222}";

std::string joined(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points)
    text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", point.x, point.y);
  return text;
}

std::vector<double> linear_ticks(double low, double high) {
  std::vector<double> ticks;
  const double step = round_step(high - low);
  for (double count = std::ceil(low / step); count * step <= high; ++count)
    ticks.push_back(count * step + 0.0);  // no negative zero
  return ticks;
}

/// Powers of the base, every so many that at most ten are left.
std::vector<double> power_ticks(double low, double high, double base) {
  const double first = std::ceil(std::log(low) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(high) / std::log(base) + 1e-9);
  const double every = std::max(1.0, std::ceil((last - first + 1) / 10));
  std::vector<double> ticks;
  for (double power = std::ceil(first / every) * every; power <= last; power += every)
    ticks.push_back(std::pow(base, power));
  return ticks;
}

std::vector<double> decimal_ticks(double low, double high) {
  std::vector<double> ticks = power_ticks(low, high, 10);
  if (ticks.size() >= 4) return ticks;
  ticks.clear();
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value >= low && value <= high) ticks.push_back(value);
    }
  }
  return ticks.size() >= 2 ? ticks : linear_ticks(low, high);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

std::string series_colour(std::size_t index) {
  // Okabe and Ito's palette, without its yellow, which is lost on white, and with a grey for it.
  static const std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#56b4e9", "#e69f00", "#222222", "#888888"};
  return colours[index % colours.size()];
}

Drawing::Drawing(double width, double height, std::string style)
    : width_(width), height_(height), style_(std::move(style)) {}

void Drawing::line(Point from, Point to, const std::string& css_class, const std::string& paint) {
  body_ += fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", css_class,
      from.x, to.x, from.y, to.y, paint);
}

void Drawing::rectangle(Point corner, double width, double height, const std::string& css_class,
                        const std::string& paint) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"{}/>\n",
      css_class, corner.x, corner.y, width, height, paint);
}

void Drawing::circle(Point centre, double radius, const std::string& css_class,
                     const std::string& title, const std::string& paint) {
  body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"{}", css_class,
                       centre.x, centre.y, radius, paint);
  body_ += title.empty() ? "/>\n" : fmt::format("><title>{}</title></circle>\n", escaped(title));
}

void Drawing::polyline(const std::vector<Point>& points, const std::string& css_class,
                       const std::string& paint) {
  body_ += fmt::format("<polyline class=\"{}\" fill=\"none\" points=\"{}\"{}/>\n", css_class,
                       joined(points), paint);
}

void Drawing::polygon(const std::vector<Point>& points, const std::string& css_class,
                      const std::string& paint) {
  body_ +=
      fmt::format("<polygon class=\"{}\" points=\"{}\"{}/>\n", css_class, joined(points), paint);
}

void Drawing::arrow(Point from, Point to, const std::string& css_class) {
  line(from, to, css_class);
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0)) return;
  const Point along = {(to.x - from.x) / length * 6, (to.y - from.y) / length * 6};
  polyline({{to.x - along.x - along.y / 2, to.y - along.y + along.x / 2},
            to,
            {to.x - along.x + along.y / 2, to.y - along.y - along.x / 2}},
           css_class);
}

void Drawing::text(Point at, const char* anchor, const std::string& text,
                   const std::string& attributes) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", at.x,
                       at.y, anchor, attributes, escaped(text));
}

std::string Drawing::document() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n<style>{2}{3}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#fff\"/>\n{4}</svg>\n",
      width_, height_, common_style, style_, body_);
}

Axis::Axis(double low, double high, double from, double to, Scale scale)
    : low_(low), high_(high), from_(from), to_(to), scale_(scale) {
  if (high_ > low_) return;
  if (scale_ == Scale::linear) {
    const double margin = low_ == 0 ? 1 : 0.01 * std::abs(low_);
    low_ -= margin;
    high_ += margin;
  } else {
    low_ /= 1.5;
    high_ *= 1.5;
  }
}

double Axis::at(double value) const {
  const double share = scale_ == Scale::linear ? (value - low_) / (high_ - low_)
                                               : (std::log(value) - std::log(low_)) /
                                                     (std::log(high_) - std::log(low_));
  return from_ + share * (to_ - from_);
}

std::vector<double> Axis::ticks() const {
  switch (scale_) {
    case Scale::binary:
      return power_ticks(low_, high_, 2);
    case Scale::decimal:
      return decimal_ticks(low_, high_);
    case Scale::linear:
      break;
  }
  return linear_ticks(low_, high_);
}

double round_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace ratchet::svg
