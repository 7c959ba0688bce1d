// The job that repairs one lost chunk of an object. A repair reads only the bytes that the code requests: whole chunks, or parts of
// chunks.

#pragma once

#include <optional>
#include <span>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

class RepairJob : public Job {
 public:
  /// In object i, the chunk lost[i % lost.size()] is lost. `objects` is the number of objects.
  RepairJob(const EncodedObject& truth, const std::vector<LostChunk>& lost, std::size_t objects);

  /// The memory in bytes of one object. The memory depends on the lost chunk, so the result is the mean for the chunks in `lost`.
  static std::size_t object_bytes(const EncodedObject& truth, std::span<const LostChunk> lost);

  std::size_t object_count() const override { return repairs_.size(); }
  void run(std::size_t object) override;
  void poison(std::size_t object) override;
  void check(std::size_t object) override;

 private:
  struct Repair {
    int lost = 0;
    // For repairs from whole chunks:
    std::unique_ptr<const EncodedObject> object;
    std::shared_ptr<const DecodePlan> plan;
    // For repairs from parts of chunks:
    std::optional<HelperParts> parts;
    std::unique_ptr<const ChunkBuffers> rebuilt;
  };

  const EncodedObject& truth_;
  std::vector<Repair> repairs_;
};

}  // namespace ecbench
