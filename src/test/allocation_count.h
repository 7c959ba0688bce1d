// Counts the allocations of this process. A program that contains allocation_count.cc replaces malloc().

#pragma once

namespace ecbench::test {

void start_counting_allocations();
int stop_counting_allocations();

/// The number of allocations of all threads while `run` runs.
int allocations_in(const auto& run) {
  start_counting_allocations();
  run();
  return stop_counting_allocations();
}

}  // namespace ecbench::test
