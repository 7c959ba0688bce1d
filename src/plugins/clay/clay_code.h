// Repairs one lost chunk from 1/q of each of d others, q = d-k+1 (an MSR code, minimum storage regenerating). It is built on a
// scalar code without sub-chunks, usually MDS (any k chunks are enough), and stores as much, except for padding, and recovers the
// same losses.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "plugins/clay/recovery.h"

namespace ecbench::clay {

// Applies a Recovery to chunks in portions: several planes of short sub-chunks, or a segment of one plane. A portion and its U
// (recovery.h) fit in the caches. Most U are in memory of the thread (Pass::place_for_u()); later portions overwrite them.

struct Portion {
  int plane_count;          ///< number of consecutive planes; a power of q, or 1 if sub-chunks are divided into segments
  std::size_t size;         ///< bytes of each sub-chunk that are processed
  std::size_t node_stride;  ///< bytes of the thread's memory for each node
};

class Layers {
 public:
  /// Both must outlive this instance. A portion has `unit` bytes of every sub-chunk of one plane; 0: run() chooses.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// nodes[v]: the sub-chunks of all planes of a repaired node; of the planes that `recovery` visits, ascending, for others; null
  /// for zeros. `sub_chunk_size` must be a multiple of 16 and of `unit`.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// So that run() in the same thread allocates nothing.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

struct ClayDesign {
  Geometry geometry;
  int data_chunk_count;             ///< k
  int helper_count;                 ///< d
  std::size_t sub_chunk_unit;       ///< in bytes, a multiple of 16; the size of a sub-chunk is a multiple of sub_chunk_unit
  bool keeps_plans_in_ceph = true;  ///< keeps_plans_in_ceph() of the scalar code
  ScalarCode scalar;                ///< a code that has one chunk for each node of the geometry
  ScalarCode pair;                  ///< a 2+2 code that couples two sub-chunks
};

class ClayCode : public ErasureCode, public BenchmarkInfo, private Repair {
 public:
  /// Throws Error if the scalar code cannot compute its coding chunks, or `pair` cannot couple sub-chunks.
  explicit ClayCode(ClayDesign design);

  /// ceil(object_size / k), rounded up so that the size of a sub-chunk is a multiple of sub_chunk_unit. Throws Error if the
  /// result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// Throws Error if chunk_size is not a multiple of sub_chunk_unit * sub_chunk_count().
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  /// For one wanted chunk with all others available, parts of d chunks if these are sufficient; otherwise whole chunks.
  ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const override;

  bool keeps_plans_in_ceph() const override { return keeps_plans_in_ceph_; }
  /// Null if q is 1: a repair then reads k whole chunks.
  const Repair* repair() const override { return geometry_.q() > 1 ? this : nullptr; }
  std::string kernel() const override { return info_of(*encoding_.uncoupled.work).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(*encoding_.uncoupled.work).kernel_functions(); }

 protected:
  /// With an MDS code, the k lowest-numbered available chunks.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;
  struct KeptRepair {
    std::once_flag is_made;
    std::unique_ptr<const Recovery> recovery;
  };

  void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt, std::size_t chunk_size) const override;

  bool is_loss_of_one(const Positions& wanted, const Positions& available) const;
  Positions nodes(const Positions& chunks) const;
  Recovery encoding() const;
  const Recovery* repairing(int lost) const;
  std::optional<Recovery> make_repair(int lost) const;
  std::size_t sub_chunk_size(std::size_t chunk_size) const;

  int helper_count_;
  std::size_t sub_chunk_unit_;
  bool keeps_plans_in_ceph_;
  Geometry geometry_;
  ScalarCode scalar_;
  ScalarCode pair_;
  Coupling coupling_;
  Layers layers_;
  Recovery encoding_;
  mutable std::vector<KeptRepair> repairs_;  // the index is the number of the lost chunk; each element is computed at its first use
};

}  // namespace ecbench::clay
