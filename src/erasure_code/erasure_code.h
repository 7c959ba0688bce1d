// The contract between the benchmark and an erasure code. A code turns an object into n chunks, k of them data, and rebuilds lost
// chunks from the others. It knows nothing of clocks, files or options.
//
// Chunks are numbered by position, 0 to n-1, everywhere but in encode(), which takes the data chunks in the object's order. All
// buffers belong to the caller: they are chunk_size bytes each, start at multiples of chunk_alignment_bytes, and do not overlap.
// encode() and decode() allocate nothing and may run in several threads on one instance. A chunk that is not erased is never
// written. What cannot be recovered is an Error of kind unrecoverable: never wrong bytes with a success.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench {

inline constexpr std::size_t chunk_alignment_bytes = 64;

/// The number of a chunk, as matrices and libraries number them: the data chunks are 0 to k-1, in the object's order, the coding
/// chunks k to n-1. Without a mapping it is also the chunk's position.
enum class ChunkNumber : int {};

/// `chunk` as an index of a container.
constexpr std::size_t index(ChunkNumber chunk) {
  return static_cast<std::size_t>(chunk);
}

/// Chunk positions, in ascending order, each once.
using Positions = std::vector<int>;

/// `count` consecutive sub-chunks of a chunk from `first`: the part of a chunk that an array code reads.
struct SubChunkRun {
  int first = 0;
  int count = 1;
};

/// What must be read: the runs of sub-chunks by position.
using ReadSet = std::map<int, std::vector<SubChunkRun>>;

class ErasureCode;

/// What rebuilding one erasure pattern needs, worked out once: an inverse, tables, a schedule. Immutable once ErasureCode::plan()
/// has returned it, and shareable between threads. Codes derive their own from it.
struct DecodePlan {
  virtual ~DecodePlan() = default;

  Positions erased;                    ///< the missing chunks
  Positions rebuilt;                   ///< those of them that decode() writes
  Positions reads;                     ///< the chunks that decode() reads; set by make_plan()
  const ErasureCode* owner = nullptr;  ///< the code that made it, the only one that can run it
};

/// How a code lays out an object.
struct Shape {
  int data_chunk_count = 0;  ///< k
  int chunk_count = 0;       ///< n
  int sub_chunk_count = 1;   ///< more than one for array codes
  /// data_positions[j] is where data chunk j stands; empty: at j. The coding chunks fill the other positions in order.
  std::vector<int> data_positions = {};
};

/// Bytes of a data chunk that an overwrite replaces.
struct ChangedChunk {
  ChunkNumber chunk{};                      ///< a data chunk: 0 to k-1
  const std::uint8_t* old_bytes = nullptr;  ///< what it contained; may be a part of the chunk itself, at any address
  const std::uint8_t* new_bytes = nullptr;  ///< what it contains from now on
};

/// Optional: overwriting a part of an object without reading the rest of it, from the old and the new bytes of the changed data
/// chunks and the old coding chunks. Like encode(), it allocates nothing and may run in several threads on one instance.
class ParityDelta {
 public:
  virtual ~ParityDelta() = default;

  /// The offset in the chunks and the size of an overwrite are multiples of this number of bytes.
  virtual std::size_t granularity() const { return 1; }

  /// Bytes of memory that update() needs for an overwrite of `size` bytes, however many chunks change.
  virtual std::size_t scratch_size(std::size_t size) const = 0;

  /// Updates all coding chunks (n-k, in the order of encode()) for `changed`, which has each data chunk at most once. All pointers
  /// are to `size` bytes at the same offset in their chunks, and need no alignment; no two overlap. What `scratch` contains does
  /// not matter: it has at least scratch_size(size) bytes, and begins at a multiple of chunk_alignment_bytes.
  virtual void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                      std::span<std::uint8_t> scratch) const = 0;
};

/// Optional: rebuilding one chunk from parts of the others, for codes that need less than k whole chunks for it. Like encode(), it
/// allocates nothing and may run in several threads on one instance.
class Repair {
 public:
  virtual ~Repair() = default;
  /// Rebuilds chunk `lost`, for which minimum_to_decode() asks parts of chunks, into `rebuilt` (chunk_size bytes). helpers[p] holds
  /// what minimum_to_decode({lost}, all others) asks of chunk p, its runs one behind the other, from a multiple of
  /// chunk_alignment_bytes on; null for a chunk that is not asked.
  virtual void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt,
                      std::size_t chunk_size) const = 0;
};

class ErasureCode {
 public:
  virtual ~ErasureCode();
  ErasureCode(const ErasureCode&) = delete;
  ErasureCode& operator=(const ErasureCode&) = delete;

  int data_chunk_count() const { return shape_.data_chunk_count; }
  int chunk_count() const { return shape_.chunk_count; }
  int coding_chunk_count() const { return shape_.chunk_count - shape_.data_chunk_count; }
  int sub_chunk_count() const { return shape_.sub_chunk_count; }
  /// Where the k data chunks stand, in the object's order.
  std::span<const int> data_positions() const { return shape_.data_positions; }
  /// Where the n-k coding chunks stand, in the order in which encode() takes them: ascending.
  std::span<const int> coding_positions() const { return coding_positions_; }
  /// The position of a chunk.
  int position(ChunkNumber chunk) const {
    const auto k = static_cast<std::size_t>(data_chunk_count());
    return index(chunk) < k ? shape_.data_positions[index(chunk)] : coding_positions_[index(chunk) - k];
  }
  /// True if the position of every chunk is its number, as it does without a mapping.
  bool is_in_order() const { return in_order_; }

  /// Bytes of each chunk of an object of `object_size` bytes (at least 1). Data chunk j holds the object's bytes from
  /// j * chunk_size on; what lies past its end is zero. Throws Error if the code cannot take an object of that size.
  virtual std::size_t chunk_size(std::size_t object_size) const = 0;

  /// Computes all coding chunks (n-k, in the order of coding_positions()) from the data chunks (k, in the object's order).
  virtual void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                      std::size_t chunk_size) const = 0;

  /// The plan that rebuilds those of `wanted` that are in `erased`, without reading any of `erased`. Plans of the patterns used
  /// last are kept (at most PlanCache::capacity) and shared. Both lists may come in any order. Throws Error: bad_input for a
  /// position that does not exist or is given twice, unrecoverable if it cannot be done.
  std::shared_ptr<const DecodePlan> plan(const Positions& erased, const Positions& wanted) const;

  /// The same, computed in every call and not kept.
  std::shared_ptr<const DecodePlan> plan_uncached(const Positions& erased, const Positions& wanted) const;

  /// Runs `plan` on the n chunks: reads plan.reads, writes plan.rebuilt, and does not touch the rest. Throws Error if another code
  /// made the plan.
  void decode(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
    if (plan.owner != this) refuse_foreign_plan();
    if (!plan.rebuilt.empty()) run_plan(plan, chunks, chunk_size);
  }

  /// What must be read to have all of `wanted` when just `available` are there: the wanted ones if all are available, else what
  /// the plan for them reads, and those of them that are there. A code that overrides it names no less: a plan never reads a chunk
  /// that is not named here for the same loss. Parts of chunks are only for codes with repair(), and for the loss of one chunk of
  /// n: then repair() rebuilds it; where all that is named are whole chunks, plans do. Throws Error (unrecoverable) if it cannot be
  /// done.
  virtual ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const;

  /// Optional operations: null where the code has none.
  virtual const ParityDelta* parity_delta() const { return nullptr; }
  virtual const Repair* repair() const { return nullptr; }

 protected:
  explicit ErasureCode(Shape shape);

  /// Works out a plan: `erased` and `rebuilt` are ascending, valid and not empty, `rebuilt` is part of `erased`, and `erased` has
  /// at most n-k chunks. Sets `reads`; the caller sets the other fields of the base. Throws Error (unrecoverable), and never
  /// returns null.
  virtual std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const = 0;

  /// Runs a plan that this code's make_plan() made.
  virtual void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const = 0;

 private:
  [[noreturn]] static void refuse_foreign_plan();

  Shape shape_;
  std::vector<int> coding_positions_;
  bool in_order_ = true;
  std::unique_ptr<class PlanCache> cache_;
};

/// The error for a pattern that cannot be recovered: names the lost chunks and why.
[[noreturn]] void refuse_unrecoverable(const Positions& erased, const std::string& why);

/// The smallest multiple of `unit` that is at least `size`; throws Error if it does not fit in a size_t.
std::size_t round_up(std::size_t size, std::size_t unit);

/// a * b; throws Error if it does not fit in a size_t.
std::size_t checked_product(std::size_t a, std::size_t b);

/// ceil(object_size / k), rounded up to a multiple of `unit`. Throws Error if it does not fit in a size_t.
std::size_t padded_chunk_size(std::size_t object_size, int data_chunk_count, std::size_t unit);

}  // namespace ecbench
