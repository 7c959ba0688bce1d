#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace ecbench::test {

/// Checks that `json` has the values of the JSON text `some`. It may have more keys.
inline void expect_values(const nlohmann::ordered_json& json, const std::string& some) {
  const auto expected = nlohmann::ordered_json::parse(some);
  for (const auto& [key, value] : expected.items()) EXPECT_EQ(json.at(key), value) << key;
}

}  // namespace ecbench::test
