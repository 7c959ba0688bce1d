// Reads of whole objects. The data chunks are copied to the client's buffer. In a degraded read, one data chunk is lost and is
// rebuilt into the client's buffer.

#pragma once

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

class ReadJob : public Job {
 public:
  /// Object i uses plan i modulo the number of plans. A null plan means that the object is complete. The lost chunk of an object
  /// always contains wrong bytes.
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
    std::unique_ptr<const ChunkBuffers> reply;        // the data chunks, in the order of the object's bytes
    std::vector<std::vector<std::uint8_t*>> stripes;  // for each stripe, the chunks by position; the lost chunk is in `reply`
  };

  const EncodedObject& truth_;
  std::vector<Read> reads_;
};

}  // namespace ecbench
