// The exact text of a refusal, for tests that compare it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kimi3/error.h"

namespace kimi3::test {

// What `action` throws, "MESSAGE" or "MESSAGE | HINT"; "accepted" where it throws nothing. An error
// of another kind than `kind` fails the test.
template <typename Action>
std::string refusal(Action action, ErrorKind kind = ErrorKind::kMalformed) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.hint().empty() ? error.what() : std::string(error.what()) + " | " + error.hint();
  }
  return "accepted";
}

}  // namespace kimi3::test
