#include "benchmark/environment/cgroup.h"

namespace ecbench {

std::filesystem::path machine_root() { return "/"; }

bool is_fake() { return false; }

}  // namespace ecbench
