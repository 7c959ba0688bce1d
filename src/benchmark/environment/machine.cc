#include "benchmark/environment/environment.h"

namespace ecbench {

std::filesystem::path machine_root() { return "/"; }

bool is_fake() { return false; }

}  // namespace ecbench
