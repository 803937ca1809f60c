#include "runtime/plan/yaml_scalar.h"

#include <gtest/gtest.h>

namespace kimi3 {
namespace {

TEST(PlainScalar, NullIsSpeltInFiveWays) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) {
    EXPECT_EQ(classify_plain_scalar(text), NodeKind::kNull) << text;
  }
  EXPECT_EQ(classify_plain_scalar("nULL"), NodeKind::kString);
}

TEST(PlainScalar, OnlyTrueAndFalseAreBooleans) {
  EXPECT_EQ(classify_plain_scalar("true"), NodeKind::kBoolean);
  EXPECT_EQ(classify_plain_scalar("false"), NodeKind::kBoolean);
  for (const char* text : {"True", "TRUE", "yes", "no", "on", "off", "y", "n", "No"}) {
    EXPECT_EQ(classify_plain_scalar(text), NodeKind::kString) << text;
  }
}

TEST(PlainScalar, IntegersAreCanonical) {
  for (const char* text : {"0", "8", "-8", "9223372036854775808", "100000000000000000000000000"}) {
    EXPECT_EQ(classify_plain_scalar(text), NodeKind::kInteger) << text;
  }
}

TEST(PlainScalar, WhatAnyReaderTakesForANumberIsOne) {
  for (const char* text :
       {"8.0",       "010",          "08",     "0x0c00", "0o17",    "0b101",
        "1e3",       "1E+3",         "1.5e-3", ".5",     "5.",      "-.5",
        "+5",        "-0",           "+0",     "-010",   "1_000",   "1:30",
        "190:20:30", "190:20:30.15", ".inf",   "-.Inf",  "+.INF",   ".nan",
        ".NaN",      ".NAN",         "0x_f",   "00",     "1_0.5_0", "685.230_15e+03"}) {
    EXPECT_EQ(classify_plain_scalar(text), NodeKind::kNumber) << text;
  }
}

TEST(PlainScalar, TheRestIsText) {
  for (const char* text :
       {"a",          ".",       "-",     "+",   "+.",    "..",   "1.2.3", "8-bit",
        "1e",         "1e+",     "e3",    "0x",  "0X1",   "0o8",  "0b2",   "0xfg",
        "_1",         "1:75",    "1:",    ":30", "1:300", "inf",  "nan",   "..inf",
        "2024-01-01", "k31-tp8", "1 000", "._5", "--1",   "1,000"}) {
    EXPECT_EQ(classify_plain_scalar(text), NodeKind::kString) << text;
  }
}

}  // namespace
}  // namespace kimi3
