// The errors that calls throw. If a message has several lines, the test fails.

#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "erasure_code/error.h"

namespace ecbench::test {

inline std::optional<Error> error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  return {};
}

/// Fails the test if `call` throws no Error.
inline Error thrown_by(const auto& call) {
  const std::optional<Error> error = error_of(call);
  EXPECT_TRUE(error) << "no Error was thrown";
  return error.value_or(Error(""));
}

inline Error::Kind kind_of(const auto& call) { return thrown_by(call).kind(); }

/// The message of an Error of kind bad_input.
inline std::string refusal_of(const auto& call) {
  const Error error = thrown_by(call);
  EXPECT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
  return error.what();
}

/// "" if `call` throws no Error.
inline std::string message_of(const auto& call) {
  const std::optional<Error> error = error_of(call);
  return error ? error->what() : "";
}

}  // namespace ecbench::test
