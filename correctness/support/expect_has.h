// EXPECT_HAS(text, part): the text holds the part; EXPECT_HAS_NOT: it does not. A failure shows the text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)
