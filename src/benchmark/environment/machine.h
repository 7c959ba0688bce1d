// The machine on which ecbench measures. fake_ecbench, a program of the tests, has an invented one.

#pragma once

#include <filesystem>

namespace ecbench {

/// The directory with proc and sys.
std::filesystem::path machine_root();

/// True if times are invented.
bool is_fake();

}  // namespace ecbench
