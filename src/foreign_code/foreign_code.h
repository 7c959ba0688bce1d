// Erasure codes of libraries in other languages: an ErasureCode on a handful of C functions, which a plugin's folder builds from
// its library by that language's own tools.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::contenders {

/// What a library offers, the same of every language. All functions may be called from several threads at a time. Those that return
/// an int return 0, or another number if the library failed.
struct ForeignLibrary {
  /// Makes a code and returns a handle of it, or 0; then `message` (message_size bytes) has one line that says why, ending in \0.
  /// `level` is one of dispatch.h, "native" included; all memory that calls need again and again is the library's own affair.
  std::uint64_t (*make)(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
  void (*drop)(std::uint64_t handle);
  /// k data chunks in, m coding chunks out, chunk_size bytes each.
  int (*encode)(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
  /// n chunks. is_read[i] is 1 for those that may be read (k of them, or all that are left), is_rebuilt[i] for those that are to be
  /// written; all others are not to be touched.
  int (*decode)(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
                std::size_t chunk_size);
  /// Goes over to the other language and comes back.
  void (*nothing)();
};

/// What a plugin says of a technique in addition to the library.
struct ForeignShape {
  int k = 0;
  int m = 0;
  std::size_t unit = 64;  ///< chunk sizes are multiples of it
  int chunk_limit = 256;  ///< the most that k+m may be
  std::string kernel;     ///< ErasureCode::kernel()
  /// False where some losses of up to m chunks are too many, which decode() then refuses: each plan lets it try.
  bool any_k_are_enough = true;
  /// True where decode() is given all chunks that are left, and not just k of them: it rebuilds whatever it is not given.
  bool reads_all_left = false;
};

/// A code of `library`. Chunks are in order, data first. `technique` may be "". Throws Error with what the library says if
/// it refuses, and at any call in which it fails.
std::unique_ptr<ErasureCode> make_foreign_code(const ForeignLibrary& library, const std::string& technique,
                                               const std::string& level, const ForeignShape& shape);

}  // namespace ecbench::contenders
