// Erasure codes from libraries in other languages. make_foreign_code() returns an ErasureCode that calls a few C functions. Each
// plugin builds its C functions and its library with the tools of the other language.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::contenders {

/// The same for every language, callable from several threads. An int result: 0 is success.
struct ForeignLibrary {
  /// Makes a code and returns its handle. On failure, the function returns 0 and writes the reason to `message` (message_size
  /// bytes): one line, followed by \0. `level` is one of the levels in dispatch.h, or "native". The code allocates memory for its
  /// calls once, and keeps this memory between calls.
  std::uint64_t (*make)(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
  void (*drop)(std::uint64_t handle);
  /// Computes m coding chunks from k data chunks of chunk_size bytes each.
  int (*encode)(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
  /// `chunks` has n pointers. is_read[i] is 1 if chunk i may be read. These are k chunks, or all available chunks if
  /// ForeignShape::reads_all_left is true. is_rebuilt[i] is 1 if the function must write chunk i. The function must not access
  /// chunks for which both flags are 0.
  int (*decode)(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
                std::size_t chunk_size);
  /// An empty function in the other language. BenchmarkInfo::empty_call() calls this function.
  void (*nothing)();
  /// Optional: updates all m coding chunks for an overwrite of `size` bytes in data chunk `chunk`, like ParityDelta::update() for
  /// one changed chunk. `scratch` has `size` bytes.
  int (*update)(std::uint64_t handle, int chunk, const std::uint8_t* old_bytes, const std::uint8_t* new_bytes,
                std::uint8_t* const* coding, std::size_t size, std::uint8_t* scratch) = nullptr;
};

/// Declares the functions of a library, and the ForeignLibrary NAME_library, without update.
#define ECBENCH_FOREIGN_LIBRARY(NAME)                                                                                            \
  extern "C" {                                                                                                                   \
  std::uint64_t NAME##_make(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);    \
  void NAME##_drop(std::uint64_t handle);                                                                                        \
  int NAME##_encode(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size); \
  int NAME##_decode(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read,                              \
                    const std::uint8_t* is_rebuilt, std::size_t chunk_size);                                                     \
  void NAME##_nothing();                                                                                                         \
  }                                                                                                                              \
  constexpr ecbench::contenders::ForeignLibrary NAME##_library{NAME##_make, NAME##_drop, NAME##_encode, NAME##_decode,           \
                                                               NAME##_nothing};

/// Properties of a code that ecbench cannot get from the library.
struct ForeignShape {
  int k = 0;
  int m = 0;
  std::size_t unit = 64;  ///< chunk sizes are multiples of this number of bytes
  int chunk_limit = 256;  ///< the maximum of k+m
  std::string kernel;     ///< the text that BenchmarkInfo::kernel() returns
  /// False if decode() fails for some losses of up to m chunks, or if each loss needs a test for another reason: make_plan() then
  /// decodes small chunks.
  bool any_k_are_enough = true;
  /// decode() reads all available chunks, not k: for a library that rebuilds every chunk that is missing from its input.
  bool reads_all_left = false;
};

/// The parameters k and m, each from 1 to `most_of_one`. `why`: the reason for this limit. `rule`: help text for a further limit.
std::vector<Parameter> chunk_counts(int most_of_one, const std::string& why, const std::string& rule = "");

/// Makes a code that calls `library`. The positions of the data chunks are 0 to k-1, and those of the coding chunks are k to k+m-1.
/// `technique` may be "". Throws Error if k+m is greater than shape.chunk_limit. Also throws Error if the library refuses the code;
/// the message then contains the library's reason. If the library fails in a later call of the code, for example in encode(), that
/// call throws Error.
std::unique_ptr<ErasureCode> make_foreign_code(const ForeignLibrary& library, const std::string& technique,
                                               const std::string& level, const ForeignShape& shape);

}  // namespace ecbench::contenders
