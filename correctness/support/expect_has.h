// EXPECT_HAS(text, part): the text holds the part; EXPECT_LACKS: it does not. A failure shows the text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)
