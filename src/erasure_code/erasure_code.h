// The contract between the benchmark and an erasure code. A code turns an object into n chunks (k of them data chunks) and rebuilds
// lost chunks from the other chunks. A code uses no clocks, files or options. An int identifies a chunk by its position, 0 to n-1,
// a ChunkNumber by its chunk number.
//
// The caller owns the buffers of encode() and decode(). Each has chunk_size bytes, starts at a multiple of chunk_alignment_bytes,
// and does not overlap the others. encode() writes only coding chunks, decode() only erased chunks. Both, and update() and
// repair(), allocate no memory, and several threads may call them on one instance at the same time. If chunks cannot be recovered,
// the code throws an Error of kind unrecoverable. A code never returns wrong bytes.

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

/// The number of a chunk in matrices and libraries. Data chunks have the numbers 0 to k-1, and data chunk 0 contains the beginning
/// of the object. Coding chunks have the numbers k to n-1. Without a mapping, the number is also the chunk's position.
enum class ChunkNumber : int {};

/// The index type of containers. A number must not be negative.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
constexpr std::size_t index(ChunkNumber chunk) { return static_cast<std::size_t>(chunk); }

/// Chunk positions in ascending order, without duplicates.
using Positions = std::vector<int>;

/// A part of a chunk: `count` consecutive sub-chunks, beginning with sub-chunk `first`.
struct SubChunkRun {
  int first = 0;
  int count = 1;
};

/// The sub-chunks that must be read from each chunk. The key is the chunk's position.
using ReadSet = std::map<int, std::vector<SubChunkRun>>;

class ErasureCode;

/// The precomputed data for rebuilding the chunks of one erasure pattern (an inverse matrix, tables, a schedule), in a class that
/// the code derives. A plan does not change after ErasureCode::plan() has returned it, so threads may share it.
struct DecodePlan {
  virtual ~DecodePlan() = default;

  Positions erased;                    ///< the lost chunks
  Positions rebuilt;                   ///< the erased chunks that decode() writes
  Positions reads;                     ///< the chunks that decode() reads; set by make_plan()
  const ErasureCode* owner = nullptr;  ///< the code that made the plan; no other code can run it
};

/// The counts and the positions of an object's chunks.
struct Shape {
  int data_chunk_count = 0;  ///< k
  int chunk_count = 0;       ///< n
  int sub_chunk_count = 1;   ///< more than 1 only for array codes, which divide chunks into sub-chunks
  /// data_positions[j] is the position of data chunk j. If the list is empty, data chunk j is at position j. The coding chunks are
  /// at the other positions, in ascending order of their chunk numbers.
  std::vector<int> data_positions = {};
};

/// A data chunk that an overwrite changes, with the old and the new bytes of the overwritten part.
struct ChangedChunk {
  ChunkNumber chunk{};                      ///< a data chunk: 0 to k-1
  const std::uint8_t* old_bytes = nullptr;  ///< the bytes before the overwrite; this pointer may point into the chunk's buffer
  const std::uint8_t* new_bytes = nullptr;  ///< the bytes after the overwrite
};

/// Optional. If a part of an object is overwritten, update() updates the coding chunks from the old and new bytes of the changed
/// data chunks and the old coding chunks, without reading the rest of the object.
class ParityDelta {
 public:
  virtual ~ParityDelta() = default;

  /// For each overwritten part of a chunk, the size and the offset in the chunk must be multiples of this number of bytes.
  virtual std::size_t granularity() const { return 1; }

  /// Bytes of scratch memory for update() of `size` bytes in each of any number of changed chunks.
  virtual std::size_t scratch_size(std::size_t size) const = 0;

  /// Updates all n-k coding chunks, in the order of encode(). `changed` contains each data chunk at most once. Each pointer is to
  /// `size` bytes at the same offset in its chunk, without alignment or overlaps. `scratch` has at least scratch_size(size) bytes
  /// with any contents, and begins at a multiple of chunk_alignment_bytes.
  virtual void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                      std::span<std::uint8_t> scratch) const = 0;
};

/// Optional, for codes that can rebuild one chunk from fewer bytes than k whole chunks.
class Repair {
 public:
  virtual ~Repair() = default;
  /// Rebuilds chunk `lost` into `rebuilt` (chunk_size bytes). May be called only if minimum_to_decode({lost}, all other positions)
  /// returns parts of chunks. helpers[p], a multiple of chunk_alignment_bytes, points to those of chunk p, without gaps, in the
  /// order of the result; null if there are none.
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
  /// The positions of the k data chunks, in ascending order of their chunk numbers.
  std::span<const int> data_positions() const { return shape_.data_positions; }
  /// The positions of the n-k coding chunks, in ascending order. encode() takes the coding chunks in this order.
  std::span<const int> coding_positions() const { return coding_positions_; }
  /// The position of a chunk.
  int position(ChunkNumber chunk) const {
    const auto k = static_cast<std::size_t>(data_chunk_count());
    return index(chunk) < k ? shape_.data_positions[index(chunk)] : coding_positions_[index(chunk) - k];
  }
  /// True if the position of every chunk equals its number. This is always true without a mapping.
  bool is_in_order() const { return in_order_; }

  /// Bytes of each chunk of an object of `object_size` bytes (at least 1). Data chunk j contains chunk_size bytes from byte
  /// j * chunk_size on of the object, which is followed by zeros. Throws Error if the code does not support this size.
  virtual std::size_t chunk_size(std::size_t object_size) const = 0;

  /// Computes all n-k coding chunks. `data` has the order of data_positions(), `coding` that of coding_positions().
  virtual void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                      std::size_t chunk_size) const = 0;

  /// The plan that rebuilds the chunks in both lists, which may be in any order. It reads no chunk in `erased`. The most recently
  /// used plans (at most PlanCache::capacity) are kept. Throws Error: bad_input if a position does not exist or is given twice;
  /// unrecoverable if the code cannot rebuild the wanted chunks, or if more than n-k chunks are erased.
  std::shared_ptr<const DecodePlan> plan(const Positions& erased, const Positions& wanted) const;

  /// Like plan(), but computes the plan in every call and does not keep it.
  std::shared_ptr<const DecodePlan> plan_uncached(const Positions& erased, const Positions& wanted) const;

  /// Runs `plan`: reads the chunks in plan.reads, writes the chunks in plan.rebuilt, and uses no other chunks. chunks[p] points to
  /// the chunk at position p. Throws Error if another code made the plan.
  void decode(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
    if (plan.owner != this) refuse_foreign_plan();
    if (!plan.rebuilt.empty()) run_plan(plan, chunks, chunk_size);
  }

  /// The sub-chunks that must be read to get all chunks in `wanted`, if those not in `available` are lost: the wanted chunks that
  /// are available and, for the others, the chunks that the plan for the lost chunks reads. Throws Error (unrecoverable).
  ///
  /// An override must return every chunk that this plan reads, or, only if the code has repair() and exactly one of the n chunks is
  /// lost, the parts of chunks from which repair() rebuilds it.
  virtual ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const;

  /// Optional operations. The result is null if the code does not support the operation.
  virtual const ParityDelta* parity_delta() const { return nullptr; }
  virtual const Repair* repair() const { return nullptr; }

 protected:
  explicit ErasureCode(Shape shape);

  /// `rebuilt` is a subset of `erased`, which has at most n-k chunks; both are ascending, valid and not empty. Sets
  /// DecodePlan::reads; the caller sets the other members. Throws Error (unrecoverable). Never returns null.
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

/// "chunk 3", "chunks 0, 3".
std::string chunks_text(const Positions& positions);

/// Throws an Error of kind unrecoverable. Its message contains the lost chunks (`erased`) and the reason (`why`).
[[noreturn]] void refuse_unrecoverable(const Positions& erased, const std::string& why);

/// The positions 0 to chunk_count-1, except those in `left_out`, which is ascending.
Positions all_but(const Positions& left_out, int chunk_count);

/// The smallest multiple of `unit` that is at least `size`. Throws Error if the result does not fit in a size_t.
std::size_t round_up(std::size_t size, std::size_t unit);

/// Returns a * b. Throws Error if the result does not fit in a size_t.
std::size_t checked_product(std::size_t a, std::size_t b);

/// ceil(object_size / k), rounded up to a multiple of `unit`. Throws Error if the result does not fit in a size_t.
std::size_t padded_chunk_size(std::size_t object_size, int data_chunk_count, std::size_t unit);

// For codes whose coding chunks Ceph computes only in part. A class may derive from both ErasureCode and CephEncoding.

class CephEncoding {
 public:
  virtual ~CephEncoding() = default;

  /// The coding chunks that Ceph's plugin with this profile does not compute, so their bytes in Ceph are undefined; ascending.
  virtual Positions never_computed_by_ceph() const = 0;
};

/// Empty for the codes that do not derive from CephEncoding.
inline Positions never_computed_by_ceph(const ErasureCode& code) {
  const auto* encoding = dynamic_cast<const CephEncoding*>(&code);
  return encoding == nullptr ? Positions() : encoding->never_computed_by_ceph();
}

}  // namespace ecbench
