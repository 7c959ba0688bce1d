// Copies the data chunks to the client's buffer, or rebuilds one into it in a degraded read.

#pragma once

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

class ReadJob : public Job {
 public:
  /// Object i uses plans[i % plans.size()]; null: nothing is lost. The buffer of a lost chunk has wrong bytes, which reads do not
  /// change.
  ReadJob(const EncodedObject& truth, const std::vector<std::shared_ptr<const DecodePlan>>& plans, std::size_t objects);

  static std::size_t object_bytes(const EncodedObject& truth);

  std::size_t object_count() const override { return reads_.size(); }
  void run(std::size_t object) override;
  void poison(std::size_t object) override;
  void check(std::size_t object) override;

 private:
  struct Read {
    std::unique_ptr<const EncodedObject> object;
    std::shared_ptr<const DecodePlan> plan;           // null: no chunk is lost
    std::unique_ptr<const ChunkBuffers> reply;        // the client's buffer: the data chunks, in the order of the object's bytes
    std::vector<std::vector<std::uint8_t*>> stripes;  // degraded read: chunks of each stripe by position; lost chunk in `reply`
  };

  const EncodedObject& truth_;
  std::vector<Read> reads_;
};

}  // namespace ecbench
