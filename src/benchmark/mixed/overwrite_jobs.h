// Overwrites of one data chunk by parity delta. If the code has no parity delta, or if the chunk size is not a multiple of the
// granularity, the object is encoded again. Every second overwrite of an object undoes the overwrite before it.

#pragma once

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

/// Encodes the bytes of `object` again, with additional memory that contains the new bytes for an overwrite of one chunk.
std::unique_ptr<const EncodedObject> with_one_changed_chunk(const EncodedObject& object, std::size_t stripe_unit);

class DeltaJob : public Job {
 public:
  /// `object` is the result of with_one_changed_chunk().
  DeltaJob(const EncodedObject& object, std::size_t objects);

  std::size_t object_count() const override { return objects_.size(); }
  void run(std::size_t object) override { objects_[object]->overwrite(object % chunks_, objects_.front()->scratch()); }
  /// Does nothing, because the results of an overwrite are inputs of the next overwrite. check() detects a missing write also
  /// without poison(), because the correct result differs from the bytes before the overwrite.
  void poison(std::size_t) override {}
  void check(std::size_t object) override { objects_[object]->check_overwrite(); }

 private:
  std::size_t chunks_;
  std::vector<std::unique_ptr<const EncodedObject>> objects_;
};

class ReencodingJob : public Job {
 public:
  ReencodingJob(const EncodedObject& object, std::size_t objects);

  static std::size_t object_bytes(const EncodedObject& object);

  std::size_t object_count() const override { return overwrites_.size(); }
  void run(std::size_t object) override;
  void poison(std::size_t object) override { overwrites_[object].object->poison(coding_); }
  void check(std::size_t object) override;

 private:
  struct Overwrite {
    std::unique_ptr<const EncodedObject> object;
    std::unique_ptr<const ChunkBuffers> new_bytes;       // one chunk
    std::vector<std::vector<const std::uint8_t*>> data;  // for each stripe, the data chunks, one of them with its new bytes
    bool is_new = false;
  };

  const std::vector<const std::uint8_t*>& data_of(const Overwrite& overwrite, std::size_t stripe) const;

  const ErasureCode& code_;
  Positions coding_;
  std::vector<Overwrite> overwrites_;
};

}  // namespace ecbench
