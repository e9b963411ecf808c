#include "perf/study/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <functional>
#include <iostream>
#include <ostream>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/measure/nvtx.h"
#include "perf/support/clock.h"
#include "perf/support/terminal.h"

namespace ratchet::run {
namespace {

volatile std::sig_atomic_t told_to_stop = 0;

/// While it lives, the first SIGINT or SIGTERM only asks; the second one has its usual effect.
class StopSignals {
 public:
  StopSignals() {
    told_to_stop = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { told_to_stop = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};
};

double rate(std::uint64_t units, double seconds) {
  return seconds > 0 ? static_cast<double>(units) / seconds : 0;
}

std::string in_last_second(double rate) { return fmt::format(" ({:.6g} in last second)\n", rate); }

std::string done_by(std::uint64_t units, double seconds, const std::string& unit) {
  return fmt::format("{:.3f} seconds, {} ({:.6g} per second since start)", seconds,
                     counted(units, unit), rate(units, seconds));
}

/// A program under way, with its file.
class Runner {
 public:
  Runner(const RunOptions& options, std::ostream& out)
      : info_(options.program->info()),
        out_(out),
        file_(options.records, info_.name, options.parameters),
        work_(options.program->open(options.parameters, file_.kept().state, options.records)),
        units_(file_.kept().units),
        seconds_(file_.kept().seconds),
        limit_(options.seconds > 0 ? seconds_ + options.seconds : 0),
        recent_(seconds_, units_) {
    file_.head(work_->heading());
    out_ << work_->heading();
    if (!file_.kept().state.empty())
      out_ << fmt::format("resumes {}: ", options.records.string())
           << done_by(units_, seconds_, info_.unit) << ", "
           << counted(file_.kept().found.size(), "records") << "\n"
           << std::flush;
  }

  /// Returns why it stopped.
  std::string go_on() {
    const StopSignals signals;
    const timing::NvtxRange whole(info_.name);
    double kept_at = seconds_;
    while (true) {
      const Slice slice = timed_slice();
      take_in(slice.records);
      const bool last = slice.finished || told_to_stop != 0 || (limit_ > 0 && seconds_ >= limit_);
      if (last || seconds_ - kept_at >= info_.keep_every_s) {
        file_.keep(waiting_, units_, seconds_, work_->state());
        waiting_.clear();
        kept_at = seconds_;
      }
      if (last) break;
    }
    progress_.now("");
    return told_to_stop != 0 ? "stopped" : limit_ > 0 && seconds_ >= limit_ ? "time is up" : "done";
  }
  std::string summary() const { return done_by(units_, seconds_, info_.unit); }

 private:
  Slice timed_slice() {
    const double start = seconds_now();
    Slice slice = [&] {
      const timing::NvtxRange range("sample");
      return work_->advance();
    }();
    const double took = seconds_now() - start;
    units_ += slice.units;
    seconds_ += took;
    last_second_ = recent_.add(seconds_, units_);
    const std::string best = work_->best();
    progress_.now(fmt::format("{} ({:.6g} in this slice){}{}", summary(), rate(slice.units, took),
                              best.empty() ? "" : ", best ", best));
    return slice;
  }
  void take_in(const std::vector<std::string>& records) {
    if (records.empty()) return;
    progress_.now("");
    out_ << summary() << in_last_second(last_second_);
    for (const std::string& record : records) {
      out_ << record << "\n";
      waiting_.push_back({units_, seconds_, record});
    }
    out_ << std::flush;
  }

  const ProgramInfo& info_;
  std::ostream& out_;
  RecordFile file_;
  std::unique_ptr<Work> work_;
  std::uint64_t units_;
  double seconds_, limit_;
  LastSecond recent_;
  double last_second_ = 0;
  std::vector<Found> waiting_;
  Phase progress_;
};

}  // namespace

double LastSecond::add(double seconds, std::uint64_t units) {
  marks_.emplace_back(seconds, units);
  while (marks_.size() > 2 && marks_[1].first <= seconds - 1) marks_.pop_front();
  return rate(units - marks_.front().second, seconds - marks_.front().first);
}

ExitCode run_program(const RunOptions& options, std::ostream& out) {
  if (const Availability available = options.program->availability(options.parameters);
      !available.ok)
    throw Error(options.program->info().name + ": " + available.reason, ExitCode::nothing_ran);
  const Parameters& given = options.parameters;
  if (given.has("first") && given.has("end") && given.at("end") <= given.at("first"))
    throw Error(fmt::format("{}: there is nothing between first={} and end={}; choose a larger end",
                            options.program->info().name, given.at("first"), given.at("end")));
  Runner runner(options, out);
  const std::string why = runner.go_on();
  out << why << " after " << runner.summary() << "; kept in " << options.records.string() << "\n";
  return ExitCode::pass;
}

namespace {

/// Names all parameters in its error, those of texts too.
void set_number(Parameters& parameters, const ProgramInfo& info, const std::string& name,
                const std::string& value) {
  std::vector<std::string> known;
  for (const Parameter& each : info.parameters) known.push_back(each.name);
  for (const TextParameter& each : info.texts) known.push_back(each.name);
  if (!parameters.has(name))
    throw Error(fmt::format("{} has no parameter '{}'; it has {}", info.name, name,
                            fmt::join(known, ", ")));
  parameters.set(name, value);
}

}  // namespace

ExitCode run_short_program(const ShortProgram& program, const std::vector<std::string>& given,
                           std::ostream& out) {
  const ProgramInfo& info = program.info();
  const bool terminal =
      &out == &std::cout && terminal_height() > 3;  // two lines of text below a picture
  Request request{.parameters = program.defaults(), .words = {}, .texts = {}, .out = out};
  if (terminal) request.columns = terminal_width(), request.rows = terminal_height();
  request.stopped = [] { return told_to_stop != 0; };
  for (const TextParameter& text : info.texts) request.texts[text.name];
  std::set<std::string> names;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    if (equals == each.npos) {
      request.words.push_back(each);
      continue;
    }
    if (!names.insert(name).second)
      throw Error(name + " is given twice; " + info.name + " takes one value of it");
    const std::string value = each.substr(equals + 1);
    if (const auto text = request.texts.find(name); text == request.texts.end())
      set_number(request.parameters, info, name, value);
    else if (value.empty())
      throw Error(info.name + ": " + name + "= has no value; give one, or leave it out");
    else
      text->second = value;
  }
  const bool several = info.words.ends_with("...");
  const std::size_t words = request.words.size();
  if (info.words.empty() && words > 0)
    throw Error("'" + request.words[0] + "' is not a parameter of " + info.name +
                "; write name=value");
  if (!info.words.empty() && (words == 0 || (words > 1 && !several)))
    throw Error(fmt::format("{} takes {}{}, and {} given", info.name, several ? "" : "one ",
                            info.words, words == 0 ? "none is" : fmt::format("{} are", words)));
  if (const Availability available = program.availability(request.parameters); !available.ok)
    throw Error(info.name + ": " + available.reason, ExitCode::nothing_ran);
  const StopSignals signals;
  const timing::NvtxRange whole(info.name);
  program.answer(request);
  if (!out.flush()) throw Error(info.name + ": its answer cannot be written (is the disk full?)");
  return ExitCode::pass;
}

void log(const Kept& kept, const std::string& unit, std::ostream& out) {
  out << kept.program;
  for (const auto& [name, value] : kept.parameters) out << " " << name << "=" << value;
  out << "\n";
  const Found* before = nullptr;
  for (const Found& each : kept.found) {
    out << each.heading;
    if (before == nullptr || before->units != each.units)
      out << done_by(each.units, each.seconds, unit) << in_last_second(each.last_second);
    out << each.record << "\n";
    before = &each;
  }
  if (!kept.state.empty())
    out << kept.heading << done_by(kept.units, kept.seconds, unit) << ", kept " << kept.since
        << "\n";
}

}  // namespace ratchet::run
