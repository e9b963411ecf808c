#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "kernels/contract/row_filter.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/stats/quantile.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/study/report/figures/written_number.h"
#include "perf/study/report/readme.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Every family's machines, read when they are first asked for.
class StoredFigures {
 public:
  explicit StoredFigures(fs::path baselines) : baselines_(std::move(baselines)) {}

  double of(const std::string& machine, const RowId& row, const std::string& field) {
    for (const Machine& each : machines_of(row.family())) {
      if (each.name != machine) continue;
      if (const auto built = each.builds.find(row); built != each.builds.end())
        return of_build(built->second, field);
      const auto found = each.content.rows.find(each.row_of(row));
      if (found == each.content.rows.end() || found->second.launches.empty())
        throw Error(fmt::format("{} has no row {}", machine, row));
      if (field == "limit_percent")
        if (const auto share = each.limit_percent(each.row_of(row))) return *share;
      return median(found->second, field);
    }
    throw Error(fmt::format("{} holds no {} of {}", baselines_.string(), row.family(), machine));
  }
  double peak(const std::string& machine, const std::string& resource) {
    const auto known = peaks_.find(machine);
    const auto& all = known != peaks_.end()
                          ? known->second
                          : peaks_[machine] =
                                peaks::read_peaks(baselines_ / machine / "peaks.json");
    const auto found = all.find(resource);
    if (found == all.end()) throw Error(fmt::format("{} has no peak {}", machine, resource));
    return found->second;
  }
  /// In the unit that baselines/published/<family>.json states.
  double rival(const std::string& machine, const std::string& family) {
    const Published published = read_published(baselines_ / "published" / (family + ".json"));
    if (!published.rival || published.rival->machine != machine)
      throw Error(fmt::format("published/{}.json states no rival on {}", family, machine));
    return published.rival->value;
  }

 private:
  const std::vector<Machine>& machines_of(const std::string& family) {
    const auto found = machines_.find(family);
    if (found != machines_.end()) return found->second;
    return machines_[family] = machines_with(family, baselines_, {});
  }
  static double of_build(const history::RowRecord& row, const std::string& field) {
    if (field == "ratio") return *row.ratio;
    if (field == "low") return *row.low;
    if (field == "high") return *row.high;
    throw Error(fmt::format("{} has only a ratio, a low and a high, not {}", row.name, field));
  }
  static double median(const Row& row, const std::string& field) {
    std::vector<double> values;
    for (const Launch& launch : row.launches) {
      const auto value = field == "ms" ? launch.real_ms
                                       : launch.counter(field == "/s" ? "units_per_second" : field);
      if (value) values.push_back(*value);
    }
    if (values.empty()) throw Error(fmt::format("{} has no figure {}", row.name, field));
    return stats::median(values);
  }
  fs::path baselines_;
  std::map<std::string, std::vector<Machine>> machines_;
  std::map<std::string, std::map<std::string, double>> peaks_;
};

/// "cuda.lop3", as no row and no field is called.
bool names_a_peak(const std::string& word) {
  return word.rfind("cuda.", 0) == 0 || word.rfind("cpu.", 0) == 0;
}

/// Reads the words of a mark from left to right.
class Mark {
 public:
  Mark(std::vector<std::string> words, StoredFigures& figures)
      : words_(std::move(words)), figures_(figures) {}

  double value() {
    machine_ = next("a machine");
    double result = term();
    if (accept("/")) result /= term();
    if (accept("*")) result *= last_number(next("a factor")).value;
    if (at_ < words_.size()) throw Error("the end is expected here, but there is " + words_[at_]);
    return result;
  }

 private:
  double term() {
    std::string word = next("a row or a field");
    if (names_a_peak(word)) return figures_.peak(machine_, word);
    if (word == "rival") return figures_.rival(machine_, next("a family"));
    if (word.find('/') != std::string::npos && word != "/s") {
      named_ = word;
      word = next("a field");
    }
    if (named_.empty()) throw Error("it names no row");
    return figures_.of(machine_, named_, word);
  }
  std::string next(const char* what) {
    if (at_ == words_.size()) throw Error(std::string("it ends where ") + what + " is wanted");
    return words_[at_++];
  }
  bool accept(const char* word) {
    if (at_ == words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  std::vector<std::string> words_;
  std::string machine_, named_;
  StoredFigures& figures_;
  std::size_t at_ = 0;
};

/// A figure in prose, and what its mark says is stored.
struct MarkedFigure {
  WrittenNumber written;
  std::size_t line = 0;               ///< of the mark, from 1
  std::optional<DigitsPlace> digits;  ///< in the text of the page
  double stored = 0;
  std::string mark;
};

std::vector<MarkedFigure> marked_in(const std::string& page, const std::string& shown,
                                    StoredFigures& figures) {
  static const std::regex mark("<!--=([^>]*)-->");
  std::vector<MarkedFigure> found;
  std::size_t behind = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), mark), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const std::string before = page.substr(behind, at - behind);
    MarkedFigure figure;
    figure.line =
        1 + static_cast<std::size_t>(std::count(page.begin(), page.begin() + it->position(), '\n'));
    figure.mark = (*it)[1];
    try {
      figure.written = last_number(before);
      figure.digits = digits_in(before, figure.written);
      if (figure.digits) figure.digits->at += behind;
      figure.stored = Mark(words_of(figure.mark), figures).value();
    } catch (const Error& error) {
      throw Error(
          fmt::format("{}:{}, mark \"{}\": {}", shown, figure.line, (*it)[0].str(), error.what()));
    }
    behind = at + static_cast<std::size_t>(it->length());
    found.push_back(std::move(figure));
  }
  return found;
}

std::vector<fs::path> pages_of(const fs::path& repository) {
  std::vector<fs::path> pages;
  const auto add = [&](const fs::directory_entry& entry) {
    if (entry.is_regular_file() && entry.path().extension() == ".md") pages.push_back(entry.path());
  };
  for (const auto& entry : fs::directory_iterator(repository)) add(entry);
  for (const char* room : {"kernels", "reference", "perf", "correctness", "baselines", "ci"})
    if (fs::is_directory(repository / room))
      for (const auto& entry : fs::recursive_directory_iterator(repository / room)) add(entry);
  std::sort(pages.begin(), pages.end());
  return pages;
}

}  // namespace

std::vector<std::string> stale_figures(const fs::path& repository, const fs::path& baselines) {
  StoredFigures figures(baselines);
  std::vector<std::string> stale;
  for (const fs::path& page : pages_of(repository)) {
    const std::string shown = page.lexically_relative(repository);
    for (const MarkedFigure& figure : marked_in(read_text(page), shown, figures))
      if (!says(figure.written, figure.stored))
        stale.push_back(fmt::format("{}:{}: {} is stale: {:.4g} is stored (={})", shown,
                                    figure.line, figure.written.text, figure.stored, figure.mark));
  }
  return stale;
}

std::vector<std::string> rewrite_figures(const fs::path& repository, const fs::path& baselines) {
  StoredFigures figures(baselines);
  std::vector<std::string> rewritten;
  for (const fs::path& page : pages_of(repository)) {
    const std::string shown = page.lexically_relative(repository);
    const std::string before = read_text(page);
    std::string text = before;
    const auto marked = marked_in(before, shown, figures);
    for (auto figure = marked.rbegin(); figure != marked.rend(); ++figure) {
      if (says(figure->written, figure->stored) || !figure->digits) continue;
      const std::string digits = digits_for(figure->written, figure->stored);
      text.replace(figure->digits->at, figure->digits->length, digits);
      rewritten.push_back(fmt::format("{}:{}: {} is written for {}", shown, figure->line, digits,
                                      figure->written.digits));
    }
    if (text != before) write_atomically(page, text);
  }
  return rewritten;
}

}  // namespace ratchet::report
