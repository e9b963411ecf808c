// A Google Benchmark program that knows nothing of ratchet, for tests of how the gate handles such
// programs: every way of timing, names full of special characters, rows that fail.
//
//   third_party_bench [--slow=PERCENT] [--crash] [--hang] [--metrics [--allocs=N] [--hold=BYTES]
//                     [--counter=NAME=VALUE]...] [--values=N] [--pages=N]
//                     [--takes-calls [--spend=FILE:N]]
//                     [Google Benchmark's flags]
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

double slow = 0;

void sum(benchmark::State& state, std::size_t values) {
  const std::vector<int> data(values, 1);
  for (auto _ : state) {
    long total = std::accumulate(data.begin(), data.end(), 0L);
    benchmark::DoNotOptimize(total);
  }
}

void items(benchmark::State& state) {
  sum(state, static_cast<std::size_t>(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

void bytes(benchmark::State& state) {
  sum(state, 1000);
  state.SetBytesProcessed(state.iterations() * 4000);
}

/// A stated time instead of a measured one: 10 ms a call, longer by --slow.
void stated(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(0.01 * (1 + slow / 100));
  state.counters["nothing"] = std::numeric_limits<double>::quiet_NaN();
  state.counters["endless"] = std::numeric_limits<double>::infinity();
}

void refuse(benchmark::State& state) {
  state.SkipWithError("no such \"device\"");
  for (auto _ : state) {
  }
}

void crash(benchmark::State& state) {
  for (auto _ : state) std::abort();
}

void hang(benchmark::State& state) {
  for (auto _ : state) sleep(60);
}

std::size_t values = 1000;
void plain(benchmark::State& state) { sum(state, values); }

/// --pages: a call faults so many pages in, and preparation a thousand.
std::size_t pages = 0;
void touch(std::size_t number) {
  const std::size_t page = 4096;
  void* const memory =
      mmap(nullptr, number * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (std::size_t i = 0; i < number; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, number * page);
}

/// --spend: a call takes a millisecond, and adds N to the number in the file, as it would to a
/// counter of energy; the process itself adds five million.
std::string counter_file;
long spent_by_a_call = 0;
void spend(long calls) {
  if (counter_file.empty()) return;
  long long count = 0;
  std::ifstream(counter_file) >> count;
  usleep(static_cast<useconds_t>(1000 * calls));
  std::ofstream(counter_file) << count + 5'000'000 + spent_by_a_call * calls << "\n";
}

/// --takes-calls: what a program of Google Benchmark since 1.8 does with "--benchmark_min_time=9x",
/// which the installed version may not know. Its one row touches pages.
int run_calls(int argc, char** argv) {
  const std::string min_time = "--benchmark_min_time=", out = "--benchmark_out=";
  std::string file;
  long calls = 8;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--benchmark_list_tests", 0) == 0) return std::puts("faults") < 0;
    if (argument.rfind(out, 0) == 0) file = argument.substr(out.size());
    if (argument.rfind(min_time, 0) == 0 && argument.back() == 'x')
      calls = std::atol(argument.c_str() + min_time.size());
  }
  touch(1000);
  for (long i = 0; i < calls; ++i) touch(pages);
  spend(calls);
  std::ofstream(file)
      << R"({"context": {"library_version": "v1.8.3", "num_cpus": 2, "caches": []}, "benchmarks": [)"
      << R"({"name": "faults", "run_name": "faults", "run_type": "iteration", "repetitions": 1, )"
      << R"("repetition_index": 0, "threads": 1, "iterations": )" << calls
      << R"(, "real_time": 1e3, "cpu_time": 1e3, "time_unit": "ns"}]})"
      << "\n";
  return 0;
}

bool takes_calls = false, with_crash = false, with_hang = false, with_metrics = false;

// --metrics: a row of constant figures, and Google Benchmark's memory manager.
long allocs = 3, made = 0;
std::size_t held = 0;
std::vector<std::pair<std::string, double>> counters;

void counted(benchmark::State& state) {
  const std::vector<char> hold(held, 1);
  benchmark::DoNotOptimize(hold.data());
  for (auto _ : state) {
    made += allocs;
    state.SetIterationTime(0.01 * (1 + slow / 100));
  }
  for (const auto& [name, value] : counters) state.counters[name] = value;
}

/// Two forms of Stop(): which one is virtual depends on the version.
class Allocations : public benchmark::MemoryManager {
 public:
  void Start() { made = 0; }
  void Stop(Result& result) {
    result.num_allocs = made;
    result.max_bytes_used = 64 * allocs;
  }
  void Stop(Result* result) { Stop(*result); }
};

void register_all() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("plain", plain);
  RegisterBenchmark("items", items)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
  RegisterBenchmark("bytes", bytes)->UseRealTime()->Unit(benchmark::kMillisecond);
  RegisterBenchmark("threads", bytes)->Threads(2);
  RegisterBenchmark("stated", stated)->UseManualTime()->Iterations(3)->Unit(benchmark::kSecond);
  RegisterBenchmark("sum<int, 2>(a+b)*[c]/^x$|y?.\\", plain);
  RegisterBenchmark("twice", stated)->UseManualTime()->Iterations(2);
  RegisterBenchmark("twice", plain)->UseRealTime();
  RegisterBenchmark("repeated", stated)->UseManualTime()->Iterations(2)->Repetitions(3);
  RegisterBenchmark("complex", items)->Arg(64)->Arg(128)->Complexity(benchmark::oN);
  RegisterBenchmark("refuse", refuse);
  if (with_crash) RegisterBenchmark("crash", crash);
  if (with_hang) RegisterBenchmark("hang", hang)->Iterations(1);
  if (with_metrics) {
    RegisterBenchmark("counted", counted)->UseManualTime()->Iterations(4);
    static Allocations manager;
    benchmark::RegisterMemoryManager(&manager);
  }
}

/// Takes the program's own flags out of the arguments.
/// As Google Benchmark's own main does from 1.9.2 on: once more, without random addresses.
void start_again(char** argv) {
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE)) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  execv("/proc/self/exe", argv);
}

void take_own(int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--slow=", 7) == 0) {
      slow = std::atof(argv[i] + 7);
    } else if (std::strncmp(argv[i], "--values=", 9) == 0) {
      values = static_cast<std::size_t>(std::atoll(argv[i] + 9));
    } else if (std::strncmp(argv[i], "--pages=", 8) == 0) {
      pages = static_cast<std::size_t>(std::atoll(argv[i] + 8));
    } else if (std::strncmp(argv[i], "--spend=", 8) == 0) {
      const std::string text = argv[i] + 8;
      const std::size_t mark = text.rfind(':');
      counter_file = text.substr(0, mark);
      spent_by_a_call = std::atol(text.c_str() + mark + 1);
    } else if (std::strcmp(argv[i], "--takes-calls") == 0) {
      takes_calls = true;
    } else if (std::strcmp(argv[i], "--starts-again") == 0) {
      continue;  // main() has
    } else if (std::strcmp(argv[i], "--crash") == 0) {
      with_crash = true;
    } else if (std::strcmp(argv[i], "--hang") == 0) {
      with_hang = true;
    } else if (std::strcmp(argv[i], "--metrics") == 0) {
      with_metrics = true;
    } else if (std::strncmp(argv[i], "--allocs=", 9) == 0) {
      allocs = std::atol(argv[i] + 9);
    } else if (std::strncmp(argv[i], "--hold=", 7) == 0) {
      held = static_cast<std::size_t>(std::atoll(argv[i] + 7));
    } else if (std::strncmp(argv[i], "--counter=", 10) == 0) {
      const std::string text = argv[i] + 10;
      const std::size_t mark = text.find('=');
      counters.emplace_back(text.substr(0, mark), std::atof(text.c_str() + mark + 1));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--starts-again") == 0) start_again(argv);
  take_own(argc, argv);
  if (takes_calls) return run_calls(argc, argv);
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
