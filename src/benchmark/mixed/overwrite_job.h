// Overwrites one data chunk, by parity delta or by encoding again. Every second overwrite restores the old coding chunks.

#pragma once

#include "benchmark/mixed/jobs.h"

namespace ecbench {

/// With the new bytes of one data chunk.
std::unique_ptr<const EncodedObject> with_one_changed_chunk(const EncodedObject& object, std::size_t stripe_unit);

class OverwriteJob : public Job {
 public:
  /// Copies of a result of with_one_changed_chunk(). `by_delta` must be false without a parity delta for these chunks.
  OverwriteJob(const EncodedObject& object, std::size_t objects, bool by_delta);

  std::size_t object_count() const override { return objects_.size(); }
  void run(std::size_t object) override;
  /// Not with parity delta, which reads the coding chunks. check() detects a missing write anyway: an overwrite changes the correct
  /// bytes.
  void poison(std::size_t object) override;
  void check(std::size_t object) override { objects_[object]->check_overwrite(); }

 private:
  Positions coding_;
  std::vector<std::unique_ptr<const EncodedObject>> objects_;
  bool by_delta_;
};

}  // namespace ecbench
