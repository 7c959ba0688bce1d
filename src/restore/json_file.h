#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ecbench {

using Json = nlohmann::ordered_json;

/// Nothing if the file does not exist. `refuse`, which must throw, gets the reason if it is not JSON, larger than `most_mebibytes`
/// or nested deeper than `most_depth`. An object of objects whose own key is `list_key` is read as a list, because its keys can be
/// equal. Throws Error if the file cannot be read.
std::optional<Json> read_json(const std::filesystem::path& file, std::size_t most_mebibytes, int most_depth,
                              const std::function<void(const std::string& why)>& refuse, const std::string& list_key = "");

}  // namespace ecbench
