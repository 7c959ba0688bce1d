// Counts the allocations of this process. A program that contains allocation_count.cc replaces malloc().

#pragma once

#include <functional>

namespace ecbench::test {

/// The number of allocations of all threads while `run` runs.
int allocations_in(const std::function<void()>& run);

}  // namespace ecbench::test
