// Repairs one lost chunk from the bytes that the code requests.

#pragma once

#include <optional>
#include <span>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

class RepairJob : public Job {
 public:
  /// lost[i % lost.size()] is lost in object i.
  RepairJob(const EncodedObject& truth, const std::vector<LostChunk>& lost, std::size_t objects);

  /// The mean for the chunks in `lost`.
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
