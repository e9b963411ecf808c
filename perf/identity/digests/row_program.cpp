// What a program is linked of, and which function a row of it enters.
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include "perf/identity/build/link_command.h"
#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/row_digest.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

/// A word of the link command and what the files that it names hold, as a linker script: two
/// programs of equal objects differ by these. The folders of two builds differ.
std::string option_text(const std::string& word, const LinkCommand& command) {
  std::string text = word + "\n";
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find_first_of(",=", begin), word.size());
    const std::string part = word.substr(begin, end - begin);
    std::error_code ignored;
    if (!part.empty() && fs::is_regular_file(command.folder / part, ignored))
      text += sha1(read_text(command.folder / part, std::size_t{1} << 30)) + "\n";
    begin = end + 1;
  }
  const std::string build = command.build.string();
  for (std::size_t at = 0; (at = text.find(build, at)) != text.npos;) text.erase(at, build.size());
  return text;
}

using Functions = std::map<std::uint64_t, std::set<std::string>>;  ///< by address

/// The addresses of functions taking a State, without the library's own.
Functions functions_of(const ElfFile& elf) {
  Functions functions;
  for (const ElfSection& section : elf.sections()) {
    if (section.header.sh_type != SHT_SYMTAB) continue;
    const std::string_view names = elf.sections().at(section.header.sh_link - 1).bytes;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size();
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, section.bytes.data() + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
      const std::string name = names.data() + symbol.st_name;
      if (takes_state(name) && name.find("17FunctionBenchmark3Run") == std::string::npos)
        functions[symbol.st_value].insert(name);
    }
  }
  return functions;
}

/// Where the kernel has loaded the program, less where its file says: from its entry.
std::uint64_t shift_of(pid_t process, std::uint64_t entry) {
  std::ifstream stream(fmt::format("/proc/{}/auxv", process), std::ios::binary);
  for (std::uint64_t pair[2]; stream.read(reinterpret_cast<char*>(pair), sizeof pair);)
    if (pair[0] == AT_ENTRY) return pair[1] - entry;
  return ~std::uint64_t{0};
}

/// Puts a byte into a program's code; returns the one before, or -1.
long put_byte(pid_t process, std::uint64_t address, long byte) {
  constexpr long low = 0xff;
  errno = 0;
  const long word = ptrace(PTRACE_PEEKTEXT, process, address, nullptr);
  if (errno != 0) return -1;
  if (ptrace(PTRACE_POKETEXT, process, address, (word & ~low) | byte) != 0) return -1;
  return word & low;
}

bool ends_with_one(const std::set<std::string>& names,
                   std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
  });
}

/// Runs in a process of its own, whose only children are the program's. Returns the address, or 0.
/// A fixture's Run() and SetUp() are entered before the row's function.
std::uint64_t trace(const std::vector<char*>& command, const Functions& functions,
                    std::uint64_t entry, double limit_s) {
  const pid_t program = fork();
  if (program == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) execv(command[0], command.data());
    _exit(127);
  }
  int status = 0;
  if (program < 0 || waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) return 0;
  ptrace(PTRACE_SETOPTIONS, program, nullptr,
         PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
  std::uint64_t shift = 0, found = 0;
  bool in_fixture = false;
  std::map<std::uint64_t, long> first_bytes;  // of functions with a breakpoint
  const auto put_breakpoints = [&] {
    constexpr long trap = 0xcc;
    shift = shift_of(program, entry);
    first_bytes.clear();
    return shift != ~std::uint64_t{0} && std::ranges::all_of(functions, [&](const auto& function) {
             const long byte = put_byte(program, function.first + shift, trap);
             first_bytes[function.first] = byte;
             return byte >= 0;
           });
  };
  bool ready = put_breakpoints();
  if (ready) ptrace(PTRACE_CONT, program, nullptr, nullptr);
  const double until = seconds_now() + limit_s;
  while (ready && !found && seconds_now() < until) {
    const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
    if (thread < 0 || (thread == program && !WIFSTOPPED(status))) break;
    if (thread == 0) usleep(500);
    if (thread == 0 || !WIFSTOPPED(status)) continue;
    int signal = WSTOPSIG(status);
    // From 1.9.3 on, Google Benchmark starts its program again, without address randomisation.
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) ready = put_breakpoints();
    if (signal == SIGTRAP && status >> 16 == 0) {
      constexpr std::size_t instruction_pointer = 16 * sizeof(long);  // <sys/reg.h>, RIP
      const auto at =
          static_cast<std::uint64_t>(ptrace(PTRACE_PEEKUSER, thread, instruction_pointer, nullptr));
      const auto function = functions.find(at - 1 - shift);
      if (function == functions.end()) break;
      in_fixture =
          in_fixture || ends_with_one(function->second, {"9benchmark7Fixture3RunERNS_5StateE",
                                                         "5SetUpERN9benchmark5StateE"});
      const bool timed = ends_with_one(function->second, {"13BenchmarkCaseERN9benchmark5StateE"});
      if (!in_fixture || timed) {
        found = function->first;
        break;
      }
      put_byte(thread, at - 1, first_bytes[function->first]);
      ptrace(PTRACE_POKEUSER, thread, instruction_pointer, at - 1);
      signal = 0;
    }
    if (status >> 16 != 0 || signal == SIGSTOP) signal = 0;  // of a new thread
    ptrace(PTRACE_CONT, thread, nullptr, signal);
  }
  kill(program, SIGKILL);
  return found;
}

}  // namespace

Link link_of_program(const fs::path& path) {
  const fs::path program = fs::canonical(path);
  const LinkCommand command = link_command(program);
  if (const std::string word = command.word_of_shell(); !word.empty())
    throw Error("its link command has a word that only a shell understands, " + word);
  const std::string image = read_text(program, std::size_t{1} << 30);
  // Breakpoints and places without relocations (R8) are those of x86-64.
  if (ElfFile(image, program.string()).header().e_machine != EM_X86_64)
    throw Error("it is not for x86-64, the only processor whose rows are followed");
  Link link;
  const std::vector<std::size_t> objects = command.objects();
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    if (std::find(objects.begin(), objects.end(), i) != objects.end())
      link.objects.push_back(command.folder / command.words[i]);
    else if (i == 0 || command.words[i - 1] != "-o")
      link.options += option_text(command.words[i], command);
  }
  const ScratchFolder scratch;
  link_again(command, scratch.path(), "again");
  const auto is = own_parts(program), was = own_parts(scratch.path() / "again");
  if (!is || is != was) throw Error("its link command gives another program when repeated");
  return link;
}

std::set<std::string> entered_function(const fs::path& program,
                                       const std::vector<std::string>& command) {
  const std::string image = read_text(program, std::size_t{1} << 30);
  const ElfFile elf(image, program.string());
  const auto functions = functions_of(elf);
  if (functions.empty()) throw Error("it has no symbol of a function taking a benchmark::State&");
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe");
  constexpr double limit_s = 10;
  const pid_t tracer = fork();
  if (tracer == 0) {
    const std::uint64_t found = trace(arguments, functions, elf.header().e_entry, limit_s);
    const bool sent = write(ends[1], &found, sizeof found) == sizeof found;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t found = 0;
  const bool received = tracer > 0 && read(ends[0], &found, sizeof found) == sizeof found;
  close(ends[0]);
  if (tracer > 0) waitpid(tracer, nullptr, 0);
  const auto function = functions.find(found);
  if (!received || function == functions.end())
    throw Error("its function is not seen to be entered, or ptrace is not allowed here");
  return function->second;
}

}  // namespace ratchet::counters
