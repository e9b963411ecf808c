// What a family's plots show, as baselines/published/<family>.json declares it in "plots":
//
//   {"id": "scaling", "title": "...",
//    "note": "...", "published_on": "RTX 2080 Ti",
//    "x": {"label": "side, cells", "scale": "binary"},
//    "y": {"label": "ps a cell update", "scale": "decimal", "quantity": "cost", "factor": 1e12},
//    "band": 0.1, "best": true, "crossing": ["strided", "the text's"],
//    "series": [
//      {"label": "strided", "stage": "life/cuda/05_strided", "parameter": "width",
//       "defaults": {"width": 65536, "height": 65536}, "settings": {"torus": 0},
//       "free": ["height", "steps"], "alike": ["width", "height"]},
//      {"label": "the text's", "points": [[16, 156178.5], [32, 287080.109]]},
//      {"label": "exact", "file": "../../correctness/tiny_mc/oracles/heat_reference.tsv",
//      "columns": ["r", "heat"]},
//      {"label": "corrected", "machine_file": "heat.tsv", "columns": ["r", "heat"]}]}
//
// A series of a stage is drawn once for each machine that measured it. One of "points" or of a
// "file" (relative to the folder of the JSON file) is published. A "machine_file" lies in a
// machine's folder, and is drawn once for each machine whose file has the second column. With
// "published_on" the published series have a panel of their own, and each machine another; a label
// has the same colour in all of them. Without, all share one panel, and each has a colour of its
// own. "best" marks the best point of each panel, "crossing" where the two series of these labels
// meet in it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/row_id.h"
#include "perf/support/json_file.h"

namespace ratchet::report {

// Which rows of a stage a table or a plot is about, by their parameters.

/// Which rows of a stage are meant: those whose parameters are `wanted`, with `defaults` where the
/// name sets none. They differ from the defaults in no other parameter than the `free` ones.
struct RowPattern {
  std::string stage;
  Settings wanted;
  Settings defaults;
  std::set<std::string> free;

  /// The settings of a row that is meant, defaults filled in; nothing for any other row.
  std::optional<Settings> match(const RowId& row) const;
};

enum class Scale { linear, binary, decimal };  ///< the latter two logarithmic

struct AxisSpec {
  std::string label;  ///< with the unit
  Scale scale = Scale::linear;
};

struct XY {
  double x = 0, y = 0;
};

/// What the figures of a row become on the y axis.
enum class Quantity {
  throughput,  ///< units per second, times PlotSpec::factor
  cost         ///< PlotSpec::factor over units per second
};

struct SeriesSpec {
  std::string label;
  RowPattern rows;        ///< rows.stage is empty for a series that is not of a stage
  std::string parameter;  ///< whose value is x
  std::vector<std::string>
      alike;  ///< parameters that must be equal, such as both sides of a square
  std::vector<XY> points;
  std::string file;          ///< tab-separated, with a line of column names; '#' begins a comment
  std::string machine_file;  ///< likewise
  std::string x_column, y_column;
};

struct PlotSpec {
  std::string id;  ///< part of the file's name
  std::string title;
  std::string note;          ///< below the title; may be empty
  std::string published_on;  ///< where given, published series and each machine have a panel
  AxisSpec x, y;
  Quantity quantity = Quantity::throughput;
  double factor = 1;
  std::optional<double> band;  ///< 0.1 shades ±10 % around the median of each measured series
  bool best = false;           ///< mark the best point of each panel
  std::vector<std::string> crossing;  ///< labels of two series, or none
  std::vector<SeriesSpec> series;
};

/// Throws `Error` naming the place for anything missing or of the wrong type. Also for a series of
/// none or several of the kinds above. Throws it for a point that its axes cannot show.
PlotSpec read_plot(const Node& node);

}  // namespace ratchet::report
