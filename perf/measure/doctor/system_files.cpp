#include "perf/measure/doctor/system_files.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace ratchet::doctor {
namespace {

constexpr std::size_t kMost = 1 << 20;

}  // namespace

std::optional<std::string> SystemFiles::text(const std::filesystem::path& path) const {
  std::error_code none;
  if (std::filesystem::is_directory(root_ / path, none)) return std::nullopt;
  std::ifstream file(root_ / path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMost, '\0');
  file.read(text.data(), static_cast<std::streamsize>(kMost));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

std::optional<double> SystemFiles::number(const std::filesystem::path& path) const {
  const auto found = text(path);
  if (!found) return std::nullopt;
  std::istringstream stream(*found);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

std::optional<double> SystemFiles::field(const std::filesystem::path& path,
                                         const std::string& key) const {
  std::istringstream lines(text(path).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

std::vector<std::string> SystemFiles::numbered(const std::filesystem::path& folder,
                                               const std::string& prefix) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                    [](unsigned char c) { return std::isdigit(c); }))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

namespace {

/// "12 (a name) R 1 ...": the name may hold anything, so the last parenthesis ends it.
std::optional<Snapshot::Process> parse(const std::string& stat, double ticks) {
  const std::size_t open = stat.find('('), close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return std::nullopt;
  std::istringstream rest(stat.substr(close + 1));
  std::string skipped;
  for (int field = 3; field <= 13; ++field) rest >> skipped;  // proc(5): utime is field 14
  double user = 0, system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  return Snapshot::Process{stat.substr(open + 1, close - open - 1), (user + system) / ticks};
}

}  // namespace

Snapshot snapshot(const SystemFiles& files, double ticks, int own) {
  Snapshot seen;
  std::istringstream stat(files.text("proc/stat").value_or(""));
  seen.times = read_proc_stat(stat, ticks).all;
  seen.cpus = static_cast<double>(
      std::max<std::size_t>(1, files.numbered("sys/devices/system/cpu", "cpu").size()));
  for (const std::string& id : files.numbered("proc", "")) {
    if (id == std::to_string(own) || id.size() > 9) continue;
    const auto text = files.text("proc/" + id + "/stat");
    if (!text) continue;  // it has exited
    if (const auto process = parse(*text, ticks)) seen.processes[std::stoi(id)] = *process;
  }
  return seen;
}

std::vector<BusyProcess> busiest(const Snapshot& before, const Snapshot& after, double seconds,
                                 std::size_t most) {
  std::vector<BusyProcess> busy;
  for (const auto& [id, process] : after.processes) {
    const auto earlier = before.processes.find(id);
    const double since = earlier == before.processes.end() ? 0 : earlier->second.cpu_s;
    const double percent = seconds > 0 ? 100 * (process.cpu_s - since) / seconds : 0;
    if (percent >= 1) busy.push_back({id, process.name, percent});
  }
  std::sort(busy.begin(), busy.end(), [](const BusyProcess& a, const BusyProcess& b) {
    return a.cpu_percent > b.cpu_percent;
  });
  if (busy.size() > most) busy.resize(most);
  return busy;
}

}  // namespace ratchet::doctor
