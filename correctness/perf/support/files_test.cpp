// Files are replaced whole or not at all; locks keep others out, or let them wait.
#include "perf/support/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/support/interruption.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Files : public testing::Test {
 protected:
  fs::path folder() const { return scratch_.path(); }
  fs::path file() const { return folder() / "box-2c" / "demo.json"; }
  /// Temporary files that a replacement left behind.
  std::size_t leftovers() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder()))
      count += entry.is_regular_file() && entry.path().extension() != ".json";
    return count;
  }

 private:
  ScratchFolder scratch_;
};

TEST_F(Files, WritingReplacesWholeFilesOrNothing) {
  put(file(), "old");
  write_atomically(file(), "new");
  EXPECT_EQ(text_of(file()), "new");
  // The target is a folder, so the last step fails: nothing is left behind.
  fs::create_directories(folder() / "taken" / "x");
  EXPECT_HAS(error_of([&] { write_atomically(folder() / "taken", "text"); }), "left as it was");
  // Of a file that there never was, nothing stays: its name is too long with that of the temporary.
  EXPECT_LACKS(error_of([&] { write_atomically(folder() / std::string(255, 'x'), "text"); }),
                 "left as it was");
  // The folder cannot be made below a file.
  EXPECT_HAS(error_of([&] { write_atomically(file() / "below.json", "text"); }), "cannot be made");
  EXPECT_EQ(text_of(file()), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()),
            1);
}

TEST_F(Files, FullDiskLeavesTheOldFile) {
  // A limit on the size of files fails a write as a full disk does.
  put(file(), "old");
  const auto write_with_a_limit = [this] {
    const rlimit limit = {16, 16};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text(100'000, 'x');
    const std::string what = error_of([&] { write_atomically(file(), text); });
    std::exit(what.find("cannot be written") != std::string::npos && text_of(file()) == "old" ? 0
                                                                                              : 1);
  };
  EXPECT_EXIT(write_with_a_limit(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()),
            1);
}

TEST_F(Files, AllFilesOrNone) {
  const fs::path first = folder() / "a" / "one.json";
  const fs::path added = folder() / "b" / "two.json";
  const fs::path taken = folder() / "c" / "three.json";
  put(first, "old");
  fs::create_directories(taken / "full");  // a folder in the file's place: its rename fails
  const std::string what = error_of([&] {
    write_all_atomically({{first, "new"}, {added, "new"}, {taken, "new"}});
  });
  EXPECT_HAS(what, taken.string());
  EXPECT_HAS(what, "no file was changed");
  EXPECT_EQ(text_of(first), "old");
  EXPECT_FALSE(fs::exists(added));
  EXPECT_EQ(leftovers(), 0u);
  // Where a text cannot even be written beside its file, nothing is renamed at all.
  const fs::path below = first / "below.json";
  EXPECT_HAS(error_of([&] {
               write_all_atomically({{added, "new"}, {below, "new"}});
             }),
             "cannot be made");
  EXPECT_FALSE(fs::exists(added));
  EXPECT_EQ(leftovers(), 0u);
  write_all_atomically({{first, "new"}, {added, "newer"}});
  EXPECT_EQ(text_of(first) + text_of(added), "newnewer");
}

TEST_F(Files, AForcedEndLeavesNoTemporaryFile) {
  const pid_t writer = fork();
  if (writer == 0) {
    signal(SIGINT, SIG_DFL);  // a shell ignores it for what runs in the background
    catch_interruption();
    for (const std::string text(1 << 22, 'x');;) write_atomically(folder() / "file", text);
  }
  const auto unfinished = [&] {
    for (const fs::path& each : sorted_entries(folder())) {
      std::error_code gone;
      const auto size = fs::file_size(each, gone);
      if (each.filename() != "file" && !gone && size > 0) return true;
    }
    return false;
  };
  for (bool caught = false; !caught;) {
    usleep(1000);  // or it is stopped before it gets anywhere
    kill(writer, SIGSTOP);
    waitpid(writer, nullptr, WUNTRACED);
    caught = unfinished();
    if (!caught) kill(writer, SIGCONT);
  }
  for (const int number : {SIGINT, SIGTERM, SIGCONT}) kill(writer, number);
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(unfinished());
}

/// A process with a scratch folder below `parent`, when it ended or stopped by this signal.
pid_t scratch_and_signal(const fs::path& parent, int number) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("TMPDIR", parent.c_str(), 1);
    const ScratchFolder scratch;
    put(scratch.path() / "a" / "b.txt", "text");
    raise(number);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  return child;
}

TEST_F(Files, AScratchFolderOfAKilledProcessGoesWithTheNextOne) {
  const pid_t alive = scratch_and_signal(folder(), SIGSTOP);
  const pid_t dead = scratch_and_signal(folder(), SIGKILL);
  const auto folders_of = [&](pid_t process) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder()))
      count += entry.path().string().find("." + std::to_string(process) + ".") != std::string::npos;
    return count;
  };
  EXPECT_EQ(folders_of(dead), 1u);
  setenv("TMPDIR", folder().c_str(), 1);
  { const ScratchFolder next; }
  unsetenv("TMPDIR");
  EXPECT_EQ(folders_of(dead), 0u);
  EXPECT_EQ(folders_of(alive), 1u);
  kill(alive, SIGKILL);
  waitpid(alive, nullptr, 0);
}

TEST_F(Files, WhatIsNoRegularFileIsNotReplaced) {
  const fs::path pipe = folder() / "pipe", link = folder() / "link", file = folder() / "file";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { write_atomically(pipe, "x"); }),
            pipe.string() + " is not a regular file; name another");
  EXPECT_TRUE(fs::is_fifo(pipe));
  write_atomically(file, "before");
  fs::create_symlink(file, link);
  write_atomically(link, "now");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(file), "now");
}

TEST_F(Files, AScratchFolderGoesWithEverythingInIt) {
  fs::path gone;
  {
    const ScratchFolder scratch;
    gone = scratch.path();
    put(gone / "a" / "b.txt", "text");
  }
  EXPECT_FALSE(fs::exists(gone));
  setenv("TMPDIR", "/nowhere", 1);
  EXPECT_HAS(error_of([] { ScratchFolder(); }), "TMPDIR");
  unsetenv("TMPDIR");
}

TEST_F(Files, ALockKeepsOthersOutOrLetsThemWait) {
  const fs::path locked = folder() / "new";
  auto first = std::make_unique<FolderLock>(locked, "testing");
  EXPECT_HAS(error_of([&] { FolderLock(locked, "testing"); }), "another ratchet is testing");
  // One that waits is told so once, and gets it when the first lets go.
  int waits = 0;
  const FolderLock second(locked, "testing", [&] {
    ++waits;
    first.reset();
  });
  EXPECT_EQ(waits, 1);
  EXPECT_HAS(error_of([&] { FolderLock(locked, "testing"); }), "another ratchet is testing");
  put(folder() / "file", "");
  EXPECT_HAS(error_of([&] { FolderLock(folder() / "file" / "below", "testing"); }),
             "cannot be made");
}

TEST_F(Files, EntriesAreSortedAndAnAbsentFolderHasNone) {
  for (const char* name : {"b", "a", "c"}) put(folder() / name, "");
  const auto entries = sorted_entries(folder());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].filename(), "a");
  EXPECT_EQ(entries[2].filename(), "c");
  EXPECT_TRUE(sorted_entries(folder() / "absent").empty());
  EXPECT_HAS(error_of([&] { sorted_entries(folder() / "a"); }), "cannot be read");
}

}  // namespace
}  // namespace ratchet
