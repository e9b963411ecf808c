// The figures that a text publishes: baselines/published/<family>.json.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ratchet::report {

/// A figure as printed, and its value where it is a time.
struct Figure {
  std::string printed;
  std::optional<double> seconds;
};

struct PublishedRow {
  std::string label;
  std::string stage;            ///< the stage that reproduces it, empty where none does
  std::vector<Figure> figures;  ///< one per column of the table
  std::string note;
  int threads = 0;  ///< of a scaling table's row
};

enum class TableKind {
  ladder,    ///< one row a stage
  scaling,   ///< one stage, one row a number of threads
  machines,  ///< one stage, one row a machine
  timesink,  ///< where the time of a whole program goes
};

struct PublishedTable {
  std::string id;
  TableKind kind = TableKind::ladder;
  std::string title;
  std::string section;   ///< heading of the text
  std::string hardware;  ///< what the text measured on
  std::string stage;     ///< of a machines or timesink table
  std::vector<std::string> columns;
  std::vector<std::string> column_threads;  ///< of a machines table: "none", "one", "half", "all"
  std::vector<PublishedRow> rows;
};

struct Published {
  std::string family;
  std::string document;
  std::string title;
  std::string author;
  double scale_units = 1;   ///< the tables give the time for so many units of work
  std::string scale_label;  ///< "10⁹ battles"
  std::map<std::string, std::string>
      last_stage;  ///< by backend: what stages beyond the text must beat
  std::vector<PublishedTable> tables;

  /// Every stage that some row or table belongs to.
  std::set<std::string> stages() const;
};

/// Throws `Error` naming the file and the place for anything missing or of the wrong type or unit.
Published read_published(const std::filesystem::path& file);

/// All files in `folder`, by name. Throws as read_published.
std::vector<Published> read_all_published(const std::filesystem::path& folder);

}  // namespace ratchet::report
