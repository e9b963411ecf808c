// Drawings of the reports: the few shapes that they need, and the axes of a plot.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ratchet::svg {

/// Text as it may stand in an element or an attribute; control characters become spaces.
std::string escaped(const std::string& text);

/// A point in user units: x to the right, y down.
struct Point {
  double x = 0, y = 0;
};

/// Colours of series, told apart also by people who do not see all of them; repeats after eight.
std::string series_colour(std::size_t index);

/// An SVG document under construction. Shapes take a class of the style sheet, or, where `paint` is
/// given, attributes of their own (` fill="#eee"`), appended as they are.
class Drawing {
 public:
  /// `style` is the CSS beside the common rules for text, titles, grids and axes.
  Drawing(double width, double height, std::string style);

  double width() const { return width_; }
  double height() const { return height_; }

  void line(Point from, Point to, const std::string& css_class, const std::string& paint = "");
  void rectangle(Point corner, double width, double height, const std::string& css_class,
                 const std::string& paint = "");
  /// `title` is what a pointer resting on it shows; none when empty.
  void circle(Point centre, double radius, const std::string& css_class,
              const std::string& title = "", const std::string& paint = "");
  void polyline(const std::vector<Point>& points, const std::string& css_class,
                const std::string& paint = "");
  void polygon(const std::vector<Point>& points, const std::string& css_class,
               const std::string& paint = "");
  /// A line with a head at `to`.
  void arrow(Point from, Point to, const std::string& css_class);
  /// `anchor`: "start", "middle" or "end"; `attributes` are appended as they are.
  void text(Point at, const char* anchor, const std::string& text,
            const std::string& attributes = "");

  /// The whole document.
  std::string document() const;

 private:
  double width_, height_;
  std::string style_;
  std::string body_;
};

/// One axis of a plot: values from `low` to `high` along `from` to `to` of the paper.
class Axis {
 public:
  enum class Scale { linear, binary, decimal };  ///< the latter two logarithmic
  /// Values must be finite, and on a logarithmic scale positive; equal ones are spread.
  Axis(double low, double high, double from, double to, Scale scale);

  double at(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  /// Round values inside the range, ascending: some five on a linear axis; powers of two, or of ten
  /// with 2 and 5 between where those are few, on a logarithmic one.
  std::vector<double> ticks() const;

 private:
  double low_, high_, from_, to_;
  Scale scale_;
};

/// 1, 2 or 5 times a power of ten, such that some five steps cover the range.
double round_step(double range);

}  // namespace ratchet::svg
