#include "perf/study/report/marked_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "kernels/contract/stage.h"
#include "perf/support/error.h"
#include "kernels/contract/row_filter.h"
#include "perf/measure/peaks/limits.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/written_number.h"
#include "perf/stats/quantile.h"
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

  double of(const std::string& machine, const std::string& row, const std::string& field) {
    for (const Machine& each : machines_of(family_of(row))) {
      if (each.name != machine) continue;
      if (const auto built = each.builds.find(row); built != each.builds.end())
        return of_build(built->second, field);
      const auto found = each.content.rows.find(each.row_of(row));
      if (found == each.content.rows.end() || found->second.launches.empty())
        throw Error(fmt::format("{} has no row {}", machine, row));
      return median(found->second, field);
    }
    throw Error(fmt::format("{} holds no {} of {}", baselines_.string(), family_of(row), machine));
  }
  double ceiling(const std::string& machine, const std::string& resource) {
    const auto known = ceilings_.find(machine);
    const auto& all = known != ceilings_.end()
                          ? known->second
                          : ceilings_[machine] =
                                limits::read_ceilings(baselines_ / machine / "limits.json");
    const auto found = all.find(resource);
    if (found == all.end()) throw Error(fmt::format("{} has no ceiling {}", machine, resource));
    return found->second;
  }
  bool has(const std::string& stage) {
    const auto& all = machines_of(family_of(stage));
    return std::any_of(all.begin(), all.end(), [&](const Machine& each) {
      const std::string row = each.row_of(stage);
      return !row.empty() && each.throughput(row);
    });
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
    throw Error(fmt::format("{} has a ratio, a low and a high, and no {}", row.name, field));
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
  std::map<std::string, std::map<std::string, double>> ceilings_;
};

/// "cuda.lop3", as no row and no field is called.
bool names_a_ceiling(const std::string& word) {
  return word.rfind("cuda.", 0) == 0 || word.rfind("cpu.", 0) == 0;
}

/// Reads the words of a mark from left to right.
class Mark {
 public:
  /// `stage` is that whose file it is, "" for any other file.
  Mark(std::vector<std::string> words, std::string stage, StoredFigures& figures)
      : words_(std::move(words)), stage_(std::move(stage)), figures_(figures) {}

  double value() {
    machine_ = next("a machine");
    double result = term();
    if (accept("/")) result /= term();
    if (accept("*")) result *= last_number(next("a factor")).value;
    if (at_ < words_.size()) throw Error("nothing can follow, but there is " + words_[at_]);
    return result;
  }

 private:
  double term() {
    std::string word = next("a row or a field"), row = stage_.empty() ? named_ : stage_;
    if (names_a_ceiling(word)) return figures_.ceiling(machine_, word);
    if (!stage_.empty() && std::isdigit(static_cast<unsigned char>(word[0])))
      word = stage_.substr(0, stage_.rfind('/') + 1) + word;
    if (word.find('/') != std::string::npos && word != "/s") {
      row = named_ = word;
      word = next("a field");
    }
    if (row.empty()) throw Error("it names no row");
    return figures_.of(machine_, row, word);
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
  std::string stage_, machine_, named_;
  StoredFigures& figures_;
  std::size_t at_ = 0;
};

/// "graveler/cuda/06_tensor_count" of "kernels/graveler/cuda_06_tensor_count.cu", "" of any other.
std::string stage_of_file(const fs::path& file) {
  const std::string family = file.parent_path().filename(), stem = file.stem();
  static const std::regex shape("([a-z]+)_(\\d.*)");
  std::smatch parts;
  if (!std::regex_match(stem, parts, shape)) return "";
  return fmt::format("{}/{}/{}", family, parts[1].str(), parts[2].str());
}

/// The comments of a source file, all of any other, line by line; and where in its line of the file
/// each begins.
struct Prose {
  std::string file_text, text;
  std::vector<std::size_t> line_begins;  ///< in `text`
  std::vector<std::size_t> in_file;      ///< where that place of `text` is in `file_text`
};

Prose prose_of(const fs::path& file) {
  Prose prose;
  prose.file_text = read_text(file);
  const bool whole = file.extension() == ".md";
  for (std::size_t begin = 0; begin < prose.file_text.size();) {
    const std::size_t end = std::min(prose.file_text.find('\n', begin), prose.file_text.size());
    const std::string line = prose.file_text.substr(begin, end - begin);
    const std::size_t remark = whole ? 0 : line.find("//");
    const std::size_t from = whole ? 0 : remark == std::string::npos ? line.size() : remark + 2;
    prose.line_begins.push_back(prose.text.size());
    prose.in_file.push_back(begin + from);
    prose.text += line.substr(from) + '\n';
    begin = end + 1;
  }
  return prose;
}

/// A figure in prose, and what its mark says is stored.
struct MarkedFigure {
  WrittenNumber written;
  std::size_t line = 0;               ///< of the mark, from 1
  std::optional<DigitsPlace> digits;  ///< in the text of the file
  double stored = 0;
  std::string mark;
};

std::size_t line_at(const Prose& prose, std::size_t place) {
  const auto behind = std::upper_bound(prose.line_begins.begin(), prose.line_begins.end(), place);
  return static_cast<std::size_t>(behind - prose.line_begins.begin());
}

std::optional<DigitsPlace> in_file(const Prose& prose, std::size_t begin, std::size_t end,
                                   const WrittenNumber& number) {
  auto place = digits_in(prose.text.substr(begin, end - begin), number);
  if (!place) return std::nullopt;
  place->at += begin;
  const std::size_t line = line_at(prose, place->at) - 1;
  place->at += prose.in_file[line] - prose.line_begins[line];
  return place;
}

std::vector<MarkedFigure> marked_in(const fs::path& file, const std::string& shown,
                                    const Prose& prose, StoredFigures& figures) {
  static const std::regex markdown("<!--=([^>]*)-->"), comment("\\{=([^}]*)\\}");
  const bool is_markdown = file.extension() == ".md";
  const std::string stage = is_markdown ? "" : stage_of_file(file);
  std::vector<MarkedFigure> found;
  std::size_t behind = 0;
  for (std::sregex_iterator
           it(prose.text.begin(), prose.text.end(), is_markdown ? markdown : comment),
       end;
       it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    MarkedFigure figure;
    figure.line = line_at(prose, at);
    figure.mark = (*it)[1];
    try {
      figure.written = last_number(prose.text.substr(behind, at - behind));
      figure.digits = in_file(prose, behind, at, figure.written);
      figure.stored = Mark(words_of(figure.mark), stage, figures).value();
    } catch (const Error& error) {
      throw Error(
          fmt::format("{}:{}, mark \"{}\": {}", shown, figure.line, (*it)[0].str(), error.what()));
    }
    behind = at + static_cast<std::size_t>(it->length());
    found.push_back(std::move(figure));
  }
  return found;
}

/// Whether the head of a stage has a figure in what the stage got.
bool got_figures(const std::string& prose) {
  const std::size_t begin = prose.find(" Got: ");
  if (begin == std::string::npos) return false;
  const std::string got = prose.substr(begin, prose.find(" Source: ", begin) - begin);
  return got.find_first_of("0123456789") != std::string::npos;
}

std::vector<fs::path> files_with_prose(const fs::path& repository) {
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& file, bool source) {
    const std::string kind = file.extension();
    if (kind == ".md" || (source && (kind == ".cu" || kind == ".cpp"))) files.push_back(file);
  };
  for (const auto& entry : fs::directory_iterator(repository))
    if (entry.is_regular_file()) add(entry.path(), false);
  for (const char* room : {"kernels", "reference", "perf", "correctness", "baselines", "ci"})
    if (fs::is_directory(repository / room))
      for (const auto& entry : fs::recursive_directory_iterator(repository / room))
        if (entry.is_regular_file()) add(entry.path(), std::string(room) == "kernels");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> stale_figures(const fs::path& repository, const fs::path& baselines) {
  StoredFigures figures(baselines);
  std::vector<std::string> stale;
  for (const fs::path& file : files_with_prose(repository)) {
    const std::string shown = file.lexically_relative(repository);
    const Prose prose = prose_of(file);
    const auto marked = marked_in(file, shown, prose, figures);
    for (const MarkedFigure& figure : marked)
      if (!says(figure.written, figure.stored))
        stale.push_back(fmt::format("{}:{}: {} is stale: {:.4g} is stored (={})", shown,
                                    figure.line, figure.written.text, figure.stored, figure.mark));
    const std::string stage = file.extension() == ".md" ? "" : stage_of_file(file);
    if (marked.empty() && find_stage(stage) && figures.has(stage) && got_figures(prose.text))
      stale.push_back(shown + ": what it got names no stored figure ({= MACHINE FIELD})");
  }
  return stale;
}

std::vector<std::string> rewrite_figures(const fs::path& repository, const fs::path& baselines) {
  StoredFigures figures(baselines);
  std::vector<std::string> rewritten;
  for (const fs::path& file : files_with_prose(repository)) {
    const std::string shown = file.lexically_relative(repository);
    const Prose prose = prose_of(file);
    std::string text = prose.file_text;
    const auto marked = marked_in(file, shown, prose, figures);
    for (auto figure = marked.rbegin(); figure != marked.rend(); ++figure) {
      if (says(figure->written, figure->stored) || !figure->digits) continue;
      const std::string digits = digits_for(figure->written, figure->stored);
      text.replace(figure->digits->at, figure->digits->length, digits);
      rewritten.push_back(fmt::format("{}:{}: {} is written for {}", shown, figure->line, digits,
                                      figure->written.digits));
    }
    if (text != prose.file_text) write_atomically(file, text);
  }
  return rewritten;
}

}  // namespace ratchet::report
