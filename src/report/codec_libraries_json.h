// Codec libraries as JSON. The names of the user and of the host are removed from paths: see private_names.h.

#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// {"libisal.so.2": {"path": ..., "version": ..., "build_id": ...}, ...}
nlohmann::ordered_json codec_libraries_json(std::span<const SharedObject> libraries);

}  // namespace ecbench
