#include "perf/report/marked_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "kernels/stage.h"
#include "kernels/support/error.h"
#include "kernels/support/row_filter.h"
#include "perf/limits/limits.h"
#include "perf/report/figures/machines.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;

/// A median over launches, and how wide these lie, as a share of it.
struct Stored {
  double value = 0, range = 0;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// With signs of ASCII alone: "1.6*10^9".
std::string plain_number_signs(const std::string& text) {
  static const std::map<std::string, char> raised = {
      {"⁻", '-'}, {"⁰", '0'}, {"¹", '1'}, {"²", '2'}, {"³", '3'}, {"⁴", '4'},
      {"⁵", '5'}, {"⁶", '6'}, {"⁷", '7'}, {"⁸", '8'}, {"⁹", '9'}};
  std::string plain;
  bool in_power = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto sign = std::find_if(raised.begin(), raised.end(), [&](const auto& each) {
      return text.compare(at, each.first.size(), each.first) == 0;
    });
    if (sign == raised.end()) {
      in_power = false;
      plain += text[at++];
      continue;
    }
    if (!in_power) plain += '^';
    in_power = true;
    plain += sign->second;
    at += sign->first.size();
  }
  for (const char* space : {"\u202f", "\u00a0"}) plain = replaced(plain, space, " ");
  for (const char* times : {"×", "·"}) plain = replaced(plain, times, "*");
  return plain;
}

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

  Stored of(const std::string& machine, const std::string& row, const std::string& field) {
    for (const Machine& each : machines_of(family_of(row))) {
      if (each.name != machine) continue;
      const auto found = each.content.rows.find(each.row_of(row));
      if (found == each.content.rows.end() || found->second.launches.empty())
        throw Error(fmt::format("{} has no row {}", machine, row));
      return summary(found->second, field);
    }
    throw Error(fmt::format("{} holds no {} of {}", baselines_.string(), family_of(row), machine));
  }
  Stored ceiling(const std::string& machine, const std::string& resource) {
    const auto known = ceilings_.find(machine);
    const auto& all = known != ceilings_.end()
                          ? known->second
                          : ceilings_[machine] =
                                limits::read_ceilings(baselines_ / machine / "limits.json");
    const auto found = all.find(resource);
    if (found == all.end()) throw Error(fmt::format("{} has no ceiling {}", machine, resource));
    return {found->second, 0};
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
  static Stored summary(const Row& row, const std::string& field) {
    std::vector<double> values;
    for (const Launch& launch : row.launches) {
      const auto value = field == "ms" ? launch.real_ms
                                       : launch.counter(field == "/s" ? "units_per_second" : field);
      if (value) values.push_back(*value);
    }
    if (values.empty()) throw Error(fmt::format("{} has no figure {}", row.name, field));
    const double median = stats::median(values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return {median, median == 0 ? 0 : (*most - *least) / std::abs(median)};
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

  Stored value() {
    machine_ = next("a machine");
    Stored result = term();
    if (accept("/")) {
      const Stored divisor = term();
      result = {result.value / divisor.value, result.range + divisor.range};
    }
    if (accept("*")) result.value *= last_number(next("a factor")).value;
    if (at_ < words_.size()) throw Error("nothing can follow, but there is " + words_[at_]);
    return result;
  }

 private:
  Stored term() {
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

/// The comments of a source file, everything else blank, so that lines stay where they are; all of
/// any other file.
std::string prose_of(const fs::path& file) {
  const std::string text = read_text(file);
  if (file.extension() == ".md") return text;
  std::string prose;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); prose += '\n')
    if (const std::size_t at = line.find("//"); at != std::string::npos)
      prose += line.substr(at + 2);
  return prose;
}

struct FileMarks {
  std::vector<std::string> stale;
  std::size_t marks = 0;
};

FileMarks check_file(const fs::path& file, const std::string& shown, StoredFigures& figures) {
  static const std::regex markdown("<!--=([^>]*)-->"), comment("\\{=([^}]*)\\}");
  const std::string prose = prose_of(file);
  FileMarks result;
  std::size_t behind = 0;
  const bool is_markdown = file.extension() == ".md";
  for (std::sregex_iterator it(prose.begin(), prose.end(), is_markdown ? markdown : comment), end;
       it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const auto line = 1 + std::count(prose.begin(), prose.begin() + it->position(), '\n');
    try {
      const WrittenNumber written = last_number(prose.substr(behind, at - behind));
      const Stored stored =
          Mark(words_of((*it)[1]), is_markdown ? "" : stage_of_file(file), figures).value();
      const double allowed = written.rounding + std::abs(stored.value) * stored.range / 2;
      if (std::abs(written.value - stored.value) > allowed)
        result.stale.push_back(fmt::format("{}:{}: {} is stale: {:.4g} is stored (={})", shown,
                                           line, written.text, stored.value, (*it)[1].str()));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}, mark \"{}\": {}", shown, line, (*it)[0].str(), error.what()));
    }
    behind = at + static_cast<std::size_t>(it->length());
    ++result.marks;
  }
  return result;
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

WrittenNumber last_number(const std::string& text) {
  const std::string plain = plain_number_signs(text);
  static const std::regex shape(
      "(?:^|[^A-Za-z0-9_.^])(?!0\\d)(\\d{1,3}(?: \\d{3})+(?!\\d)|\\d+)(\\.\\d+)?"
      "(?:e([-+]?\\d+)| ?\\* ?10\\^(-?\\d+))?(?![A-Za-z0-9_])");
  std::smatch found;
  for (std::sregex_iterator it(plain.begin(), plain.end(), shape), end; it != end; ++it)
    found = *it;
  if (found.empty()) throw Error("there is no number before it");
  const std::string whole = replaced(found[1], " ", ""), fraction = found[2];
  const std::string power = found[3].matched ? found[3].str() : found[4].str();
  const double scale = power.empty() ? 1 : std::pow(10.0, std::stoi(power));
  const double value = std::stod(whole + fraction);
  double rounding = 0.5;
  if (!fraction.empty())
    rounding = 0.5 * std::pow(10.0, 1.0 - static_cast<double>(fraction.size()));
  else if (const std::size_t zeros = whole.size() - 1 - whole.find_last_not_of('0');
           value > 0 && zeros > 0)
    rounding = std::min(0.5 * std::pow(10.0, static_cast<double>(zeros)),
                        std::max(0.5, 0.005 * value));
  std::string written = found[0];
  written.erase(0, written.find_first_of("0123456789"));
  return {written, value * scale, rounding * scale};
}

std::vector<std::string> stale_figures(const fs::path& repository, const fs::path& baselines) {
  StoredFigures figures(baselines);
  std::vector<std::string> stale;
  for (const fs::path& file : files_with_prose(repository)) {
    const std::string shown = file.lexically_relative(repository);
    FileMarks marks = check_file(file, shown, figures);
    std::move(marks.stale.begin(), marks.stale.end(), std::back_inserter(stale));
    const std::string stage = file.extension() == ".md" ? "" : stage_of_file(file);
    if (marks.marks == 0 && find_stage(stage) && figures.has(stage) && got_figures(prose_of(file)))
      stale.push_back(shown + ": what it got names no stored figure ({= MACHINE FIELD})");
  }
  return stale;
}

}  // namespace ratchet::report
