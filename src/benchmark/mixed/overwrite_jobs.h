// The jobs that overwrite one data chunk of an object. DeltaJob updates the coding chunks by parity delta. ReencodingJob encodes
// the object again; it is used if the code has no parity delta, or if the chunk size is not a multiple of the granularity of the
// parity delta. In both jobs, every second overwrite of an object restores its old coding chunks.

#pragma once

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/mixed/jobs.h"

namespace ecbench {

/// Makes a new EncodedObject from the bytes of `object`. It also contains the new bytes of one data chunk, which an overwrite uses.
std::unique_ptr<const EncodedObject> with_one_changed_chunk(const EncodedObject& object, std::size_t stripe_unit);

class DeltaJob : public Job {
 public:
  /// `object` must be a result of with_one_changed_chunk(). `objects` is the number of copies.
  DeltaJob(const EncodedObject& object, std::size_t objects);

  std::size_t object_count() const override { return objects_.size(); }
  void run(std::size_t object) override { objects_[object]->overwrite(object % chunks_, objects_.front()->scratch()); }
  /// Does nothing, because each overwrite reads the coding chunks that the overwrite before it has written. check() can detect a
  /// missing write without poison(), because an overwrite changes the correct bytes of the coding chunks.
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
    std::vector<std::vector<const std::uint8_t*>> data;  // the data chunks of each stripe; new_bytes replaces one of them
    bool is_new = false;                                 // true if the coding chunks are those of the new bytes
  };

  const std::vector<const std::uint8_t*>& data_of(const Overwrite& overwrite, std::size_t stripe) const;

  const ErasureCode& code_;
  Positions coding_;
  std::vector<Overwrite> overwrites_;
};

}  // namespace ecbench
