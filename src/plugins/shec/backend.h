// What multiplies whole chunks by elements of GF(2^w): the kernels of GF-Complete, as plugin jerasure runs them, or of ISA-L, as
// plugin isa does. The bytes are the same.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products made ready to be run again and again. Immutable.
struct Program {
  virtual ~Program() = default;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// The program that runs `products` one after the other; a later one may have the destination of an earlier one as a source.
  /// What a recovery wrote is about to be read, and had better be in the caches.
  virtual std::unique_ptr<const Program> program(std::vector<Product> products, bool is_recovery) const = 0;

  /// Runs a program of this backend's own on the chunks, of which chunk i is chunks[i], data first; a chunk that the program does
  /// not name may be null. chunk_size is a multiple of granule(). Allocates nothing; several threads may run it at a time.
  virtual void run(const Program& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const = 0;

  /// Bytes that a chunk must be a multiple of.
  virtual std::size_t granule() const = 0;

  /// As ErasureCode::kernel().
  virtual std::string kernel() const = 0;
};

/// GF-Complete's region multiplication, w = 8, 16 or 32. Throws Error if it has no kernels for the chosen level of dispatch.
std::unique_ptr<Backend> make_gf_complete_backend(int w);

/// ISA-L's ec_encode_data and xor_gen, w = 8 alone.
std::unique_ptr<Backend> make_isa_backend();

/// The levels of --dispatch: those of ISA-L, of which GF-Complete has some.
std::vector<std::string> dispatch_levels();

/// Chooses the kernels of codes made from now on, of either backend. Throws Error as the plugins isa and jerasure do.
void set_dispatch(const std::string& level);

}  // namespace ecbench::shec
