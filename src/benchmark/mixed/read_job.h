// The job that reads whole objects. The operation copies the data chunks of an object to the client's buffer. In a degraded read,
// one data chunk is lost. The operation rebuilds this chunk into the client's buffer and copies the others.

#pragma once

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

class ReadJob : public Job {
 public:
  /// Object i uses the plan plans[i % plans.size()]. A null plan means that no chunk is lost. The buffer of a lost chunk contains
  /// wrong bytes, and reads do not change this buffer. `objects` is the number of objects.
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
