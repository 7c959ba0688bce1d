// Smart pointers for memory that libJerasure allocates with malloc.

#pragma once

#include <jerasure.h>

#include <cstdlib>
#include <memory>

namespace ecbench::jerasure {

struct FreeArray {
  void operator()(int* array) const { std::free(array); }
};
/// A matrix or bit-matrix in row-major order, as the library returns it.
using LibraryMatrix = std::unique_ptr<int[], FreeArray>;

struct FreeSchedule {
  void operator()(int** schedule) const { jerasure_free_schedule(schedule); }
};
/// The copy and XOR operations that multiply chunks by a bit-matrix. Each element is an array of numbers. If the first number of an
/// element is -1, the element is not an operation, but marks the end.
using Schedule = std::unique_ptr<int*[], FreeSchedule>;

}  // namespace ecbench::jerasure
