// The headers of libJerasure and GF-Complete, and smart pointers for memory that libJerasure allocates with malloc.

#pragma once

// This header has no extern "C", so it must be included before the other headers, which include it.
extern "C" {
#include <gf_complete.h>
}

#include <cauchy.h>
#include <galois.h>
#include <jerasure.h>
#include <liberation.h>
#include <reed_sol.h>

#include <cstdlib>
#include <memory>

namespace ecbench::jerasure {

struct FreeArray {
  void operator()(int* array) const { std::free(array); }
};
/// In row-major order.
using LibraryMatrix = std::unique_ptr<int[], FreeArray>;

struct FreeSchedule {
  void operator()(int** schedule) const { jerasure_free_schedule(schedule); }
};
/// Copy and XOR operations, each an array of numbers; one that begins with -1 is the end.
using Schedule = std::unique_ptr<int*[], FreeSchedule>;

}  // namespace ecbench::jerasure
