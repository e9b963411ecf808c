// Lengths of instructions against objdump's, and what each refers to.
#include "perf/identity/code/x86_64.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

using namespace std::string_literals;

TEST(X86, AnInstructionEndsWhereItEnds) {
  const std::vector<std::string> some = {
      "\xc3"s,                                          // ret
      "\xf3\x0f\x1e\xfa"s,                              // endbr64
      "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"s,      // movabs $..., %rax
      "\x66\xb8\x01\x02"s,                              // mov $..., %ax
      "\xf6\x45\x08\x01"s,                              // testb $1, 8(%rbp)
      "\xf6\xd8"s,                                      // neg %al
      "\xf7\xd8"s,                                      // neg %eax
      "\x48\xf7\x05\x01\x02\x03\x04\x05\x06\x07\x08"s,  // testq $..., ...(%rip)
      "\x4c\x8d\x0c\x85\x00\x00\x00\x00"s,              // lea 0(,%rax,4), %r9
      "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"s,  // data16 cs nopw 0(%rax,%rax,1)
      "\xc5\xf8\x77"s,                                  // vzeroupper
      "\xc4\xe3\x7d\x19\xc1\x01"s,                      // vextractf128 $1, %ymm0, %xmm1
      "\x62\xf1\x7c\x48\x10\x44\x24\x01"s,              // vmovups 64(%rsp), %zmm0
  };
  for (const std::string& code : some) {
    const auto read = instruction_at(code + "\x90\x90\x90\x90", 0);
    ASSERT_TRUE(read) << ::testing::PrintToString(code);
    EXPECT_EQ(read->length, code.size()) << ::testing::PrintToString(code);
    EXPECT_FALSE(instruction_at(code.substr(0, code.size() - 1), 0) &&
                 instruction_at(code.substr(0, code.size() - 1), 0)->length == code.size());
  }
}

TEST(X86, TheLengthsAreObjdumps) {
  // The C library has vector instructions of all kinds, and no data in its code.
  const std::string library = "/lib/x86_64-linux-gnu/libm.so.6";
  const ProcessResult listing =
      run_process({"objdump", "-d", "--insn-width=16", "--no-addresses", library}, 60);
  if (!listing.ok()) GTEST_SKIP() << "no objdump, or no " << library;
  std::istringstream lines(listing.output);
  std::size_t seen = 0, wrong = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '\t') continue;
    const std::size_t tab = line.find('\t', 1);
    const std::string words = tab == line.npos ? "" : line.substr(tab + 1);
    std::istringstream hex(line.substr(1, tab - 1));
    std::string code;
    for (unsigned byte = 0; hex >> std::hex >> byte;) code += static_cast<char>(byte);
    if (code.empty() || code[0] == '\x9b') continue;  // fwait, which objdump joins to the next
    const auto read = instruction_at(code + std::string(16, '\x90'), 0);
    const bool by_rip = words.find("(%rip)") != std::string::npos;
    const bool right = read && read->length == code.size() &&
                       (read->distance_bytes != 0 && !read->branch) == by_rip;
    ++seen;
    if (right) continue;
    if (++wrong < 10) ADD_FAILURE() << line;
  }
  EXPECT_GT(seen, 50000u);
  EXPECT_EQ(wrong, 0u);
}

TEST(X86, WhatBranchesAndAddressesReferTo) {
  const std::string code = "\x75\x02\x90\x90\xe8\xf7\xff\xff\xff\x48\x8d\x05\x10\x00\x00\x00\xc3"s;
  const auto all = instructions_of(code);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 6u);
  EXPECT_TRUE(all->at(0).branch);
  EXPECT_EQ(target_of(code, all->at(0)), 4);
  EXPECT_EQ(target_of(code, all->at(3)), 0);
  EXPECT_FALSE(all->at(4).branch);
  EXPECT_EQ(all->at(4).distance_at, 12u);
  EXPECT_EQ(target_of(code, all->at(4)), 32);
}

TEST(X86, CodeThatIsNotUnderstoodIsNotGuessed) {
  EXPECT_FALSE(instructions_of("\x06"s));                          // no instruction of 64-bit code
  EXPECT_FALSE(instructions_of("\x90\xe8\x00\x00"s));              // cut off
  EXPECT_FALSE(instructions_of("\xeb\x01\xb8\x90\x90\x90\x90"s));  // a jump into an instruction
  EXPECT_TRUE(instructions_of(""s));
}

}  // namespace
}  // namespace ratchet::counters
