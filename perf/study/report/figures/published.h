// The figures that a text publishes: baselines/published/<family>.json.
//
// A file says what the family is, "about": {"problem": "...", "work": "battles", "right": "..."},
// for README's table of families, and once how its tables give speed: "scale", the time for so many
// units of work
// ({"units": 1000000000, "label": "10⁹ battles"}), or "rate", units of work in some time
// ({"label": "cell updates/s", "seconds": 1}). "marks" are what a stage's name must never stand
// without, {"tiny_mc/cuda/01p_as_printed": "full walk, wrong physics"}, and "beyond" the stages of
// ours that a table names beside the text's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/study/report/figures/plot_spec.h"
#include "perf/support/json_file.h"

namespace ratchet::report {

/// A figure as printed, and its value: of its kind at most one is known.
struct Figure {
  std::string printed;
  std::optional<double> seconds;           ///< unit "s", "ms" or "us"
  std::optional<double> units_per_second;  ///< unit as Rate::label
  std::optional<double> ratio;             ///< unit "x"
};

struct PublishedRow {
  std::string label;
  std::string hardware;         ///< of a hardware table's row: what this figure was measured on
  std::string stage;            ///< the stage that reproduces it, empty where none does
  std::string against;          ///< of a ratios table's row: the stage that it is compared with
  std::vector<Figure> figures;  ///< one per column of the table
  std::string note;
  int threads = 0;    ///< of a scaling table's row
  Settings settings;  ///< of a sweep table's row
  Settings nearly;    ///< likewise, shown as such where nothing was measured at `settings`
};

enum class TableKind {
  ladder,    ///< one row a stage
  hardware,  ///< rows of an implementation on a hardware: several hardwares share a stage
  ratios,    ///< one row a pair of stages: how many times the throughput of the other
  scaling,   ///< one stage, one row a number of threads
  sweep,     ///< rows and columns set parameters
  machines,  ///< one stage, one row a machine
  timesink,  ///< where the time of a whole program goes
  builds,    ///< one row a stage, one column a setting of the build
};

/// One of a sweep table's grids: a stage, and what all of its cells have set, "photons", say.
struct SweepGrid {
  std::string stage;
  Settings settings;
};

/// A column of a builds table: what rows of that build end in ("lto" for "/build:lto"), and a head.
struct Build {
  std::string name;
  std::string label;
};

struct PublishedTable {
  std::string id;
  TableKind kind = TableKind::ladder;
  std::string title;
  std::string section;   ///< heading of the text
  std::string hardware;  ///< what the text measured on
  std::string stage;     ///< of a machines, timesink or sweep table
  std::vector<std::string> columns;
  std::vector<std::string> column_threads;  ///< of a machines table: "none", "one", "half", "all"
  std::vector<Settings> column_settings;    ///< of a sweep table
  std::vector<std::string> column_stages;   ///< of a sweep table; where empty `stage` is measured
  std::vector<Settings> column_defaults;  ///< of a sweep table: what its stage does unless a row's
                                          ///< name says otherwise
  std::vector<Build> builds;              ///< of a builds table
  std::vector<SweepGrid> grids;           ///< of a sweep table: each is measured
  std::set<std::string> free;  ///< of a sweep table: parameters whose values do not matter
  Settings defaults;           ///< of a sweep table: likewise, for stages of all columns
  std::string row_header;      ///< of a sweep table: what its rows set, "photons per thread"
  std::vector<PublishedRow> rows;
};

/// How a text gives throughput: units of work in so many seconds.
struct Rate {
  std::string label;   ///< "cell updates/s", "photons/ms"
  double seconds = 1;  ///< 1, 1e-3
};

/// What README says of a family, in a few words each.
struct About {
  std::string problem;
  std::string work;   ///< what is counted: the unit of work, in the plural
  std::string right;  ///< what a stage must do to count as right
};

/// The fastest public program of the same problem, built unmodified and run on one machine.
struct Rival {
  std::string program;  ///< which, with what was set
  std::string machine;  ///< a folder of baselines/
  std::string date;     ///< when it was run there
  double value = 0;     ///< in `unit`
  std::string unit;     ///< "deals/s", "ms for 1e9 battles"
};

struct Published {
  std::string family;
  About about;
  std::string source;  ///< where the text is found: an address
  std::string title;
  std::string author;
  double scale_units = 1;    ///< the tables give the time for so many units of work
  std::string scale_label;   ///< "10⁹ battles"
  std::optional<Rate> rate;  ///< where given, the tables give throughput, not time
  /// What stages beyond the text must beat: its best stage, by backend, and "cpu, one thread" where
  /// the best on a CPU is another one.
  std::map<std::string, std::string> best_stage;
  /// By stage: what it computes in place of the family's problem, "40 cards". Its marks, too; its
  /// speed is compared with no other stage's.
  std::map<std::string, std::string> other_problem;
  std::map<std::string, std::string> marks;  ///< by stage: what is said behind its name
  std::set<std::string> beyond;              ///< stages in tables of the text that are not its own
  std::optional<Rival> rival;
  std::vector<PublishedTable> tables;
  std::vector<PlotSpec> plots;

  /// Every stage that some row or table belongs to.
  std::set<std::string> stages() const;
};

/// Throws `Error` naming the file and the place for anything missing or of the wrong type or unit.
Published read_published(const std::filesystem::path& file);

/// All files in `folder`, by name. Throws as read_published.
std::vector<Published> read_all_published(const std::filesystem::path& folder);

}  // namespace ratchet::report
