// thrown_by() returns the Error that a call throws.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/error.h"

namespace ecbench::test {

/// Fails the test if `call` throws no Error, or if the message has several lines.
inline Error thrown_by(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error("");
}

}  // namespace ecbench::test
