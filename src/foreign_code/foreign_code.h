// Erasure codes from libraries in other languages. make_foreign_code() returns an ErasureCode that calls a few C functions. Each
// plugin builds its C functions and its library with the tools of the other language.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::contenders {

/// The C functions for a library. They are the same for every language. All functions may be called from several threads at a time.
/// A function that returns an int returns 0, or another number if the library failed.
struct ForeignLibrary {
  /// Makes a code and returns its handle. On failure it returns 0, and `message` (message_size bytes) contains the reason in one
  /// line that ends in \0. `level` is one of the levels in dispatch.h, or "native". The code keeps the memory that its calls need,
  /// so that this memory is allocated only once.
  std::uint64_t (*make)(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
  void (*drop)(std::uint64_t handle);
  /// Computes m coding chunks from k data chunks of chunk_size bytes each.
  int (*encode)(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
  /// Takes n chunks. is_read[i] is 1 if chunk i may be read (k chunks, or all available chunks). is_rebuilt[i] is 1 if chunk i must
  /// be written. The function must not access other chunks.
  int (*decode)(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
                std::size_t chunk_size);
  /// Calls an empty function in the other language.
  void (*nothing)();
  /// Optional: updates all m coding chunks for an overwrite of `size` bytes in data chunk `chunk`, like ParityDelta::update() for
  /// one changed chunk. `scratch` has `size` bytes.
  int (*update)(std::uint64_t handle, int chunk, const std::uint8_t* old_bytes, const std::uint8_t* new_bytes,
                std::uint8_t* const* coding, std::size_t size, std::uint8_t* scratch) = nullptr;
};

/// Properties of a code that ecbench cannot get from the library.
struct ForeignShape {
  int k = 0;
  int m = 0;
  std::size_t unit = 64;  ///< chunk sizes are multiples of this number of bytes
  int chunk_limit = 256;  ///< the maximum of k+m
  std::string kernel;     ///< the result of BenchmarkInfo::kernel()
  /// False if the code cannot recover some losses of up to m chunks: the library's decode() fails for these losses. If the value is
  /// false, make_plan() tests each loss by a decode of small chunks. A plugin that needs this test for another reason may also set
  /// any_k_are_enough to false.
  bool any_k_are_enough = true;
  /// True if decode() gets all available chunks instead of k, because the library rebuilds each chunk that it does not get.
  bool reads_all_left = false;
};

/// Makes a code of `library`. The chunks are in order: first the data chunks, then the coding chunks. `technique` may be "". Throws
/// Error with the library's message if the library refuses the code. If the library fails in a later call, this call throws Error.
std::unique_ptr<ErasureCode> make_foreign_code(const ForeignLibrary& library, const std::string& technique,
                                               const std::string& level, const ForeignShape& shape);

}  // namespace ecbench::contenders
