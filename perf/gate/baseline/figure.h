// Figures that any command prints: a name, a value, a unit, and which direction is better.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ratchet {

enum class Better { smaller, larger };

inline constexpr std::size_t longest_unit = 20;  ///< characters: what tables and the page show

/// What a figure counts. As text, "ms (smaller is better)", it is the basis of a row and the unit
/// of its throughput (Row::basis).
struct FigureKind {
  std::string unit;  ///< as the command prints it; may be empty
  Better better = Better::smaller;

  std::string text() const;
  /// The value as all rules need it, positive, finite, and larger where better: itself or its
  /// inverse. Also the way back. 0 has an inverse of its own, since no other value has such a large
  /// one.
  double throughput(double value) const {
    constexpr double of_zero = 1e100, least = 1e90;  // medians with others may halve it
    if (better == Better::larger) return value;
    return value == 0 ? of_zero : value >= least ? 0 : 1 / value;
  }
};

/// The kind of this basis or unit; nothing for those of benchmark libraries.
std::optional<FigureKind> figure_kind(const std::string& basis);

/// The unit and direction of a measure that Bencher defines, such as "latency"; else nothing.
std::optional<FigureKind> bencher_kind(const std::string& measure);

/// The direction that a unit tells: times, sizes, counts and energy are better smaller, rates
/// larger.
std::optional<Better> better_by_unit(const std::string& unit);

/// Why a row cannot have this value ("is -3; ..."); empty where it can.
std::string complaint_of_value(double value, const FigureKind& kind);

/// Whether it is a size or a count, which the speed of the machine does not move.
bool is_amount(const FigureKind& kind);
/// The same of a row by its basis.
bool is_amount(const std::string& basis);

/// How much of its base unit a unit is: seconds of "ms" or "ns/op", bytes of "MB" or "KiB". Nothing
/// for a unit that is neither a time nor a size.
std::optional<double> seconds_in(const std::string& unit);
std::optional<double> bytes_in(const std::string& unit);

struct Figure {
  std::string name;
  double value =
      0;  ///< finite and positive; or 0, where smaller is better and the unit is not a time
  FigureKind kind;
};

/// Whether a file begins with a figure, {"name", "value", ...}, as a line or as an array's first
/// element.
bool holds_figures(const std::string& text);

/// The figures in a command's output; none where it printed no JSON. Read are, each as the whole
/// output, as its end, or as a line:
///
///   {"name", "value", "unit", "direction"}   or an array of them. The unit may be missing. So may
///                                            the direction ("smaller", "larger"), where the unit
///                                            tells it. github-action-benchmark has this form, too
///   {"<name>": {"<measure>": {"value"}}}     Bencher Metric Format; a row is "<name>/<measure>"
///   the JSON of a benchmark library          from_sampled_json(); a figure is the median time of a
///                                            row. So for the text of `go test -bench`
///
/// Lines that do not begin with a brace are ignored. `otherwise`: the direction of figures that
/// neither state nor tell it. Throws `Error` for a malformed line, a name that repeats, a value
/// that Figure does not take, and a direction that is not known.
/// `not_judged` gets the metrics of a library's rows besides their times.
std::vector<Figure> read_figures(const std::string& output, std::optional<Better> otherwise,
                                 std::set<std::string>* not_judged = nullptr);

}  // namespace ratchet
