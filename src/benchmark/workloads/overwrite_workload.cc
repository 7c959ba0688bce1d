// Some consecutive data chunks get new bytes, and the coding chunks are updated; the next overwrite restores the old bytes. The
// following two begin one data chunk later, so every data chunk is changed equally often.

#include <algorithm>

#include "benchmark/objects/overwrites.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {
namespace {

class OverwriteWorkload : public Workload {
 public:
  OverwriteWorkload(int changed_chunks, const EncodedObject& object)
      : code_(object.code()), changed_chunks_(changed_chunks), starts_(static_cast<std::size_t>(code_.data_chunk_count())) {
    for (std::size_t first = 0; first < starts_; first++) check_twice(object, first);
  }

  // One scratch memory, as in an OSD.
  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    const std::span<std::uint8_t> scratch = objects.front()->scratch();
    Round object(objects.size(), first);
    for (std::uint64_t i = first; i < first + iterations; i++) {
      overwrite_or_undo(*objects[object.next()], i / objects.size() / 2 % starts_, scratch);
    }
  }

  // Results are also inputs. A missing write is still detected: the new coding chunks differ from the old ones.
  void poison_results(const EncodedObject&) const override {}

  void check_results(const EncodedObject& object) const override { object.check_overwrite(); }

  /// Every data chunk as the first one: the same error in an overwrite and in the next one cancels out.
  void prove_first(const EncodedObject& object, std::uint64_t) const override {
    object.reset_overwrite();
    for (std::size_t first = 0; first < starts_; first++) check_twice(object, first);
  }

  /// Every data chunk as the first one, and every object. Coding chunks are reset first, because another process may share the
  /// memory.
  void prove(Objects objects) const override {
    const std::size_t turns = std::max(objects.size(), starts_);
    for (std::size_t i = 0; i < turns; i++) {
      const EncodedObject& object = *objects[i % objects.size()];
      object.reset_overwrite();
      check_twice(object, i % starts_);
    }
  }

  std::vector<Transfer> transfers() const override {
    std::vector<Transfer> result;
    if (starts_ == 1) return result;  // with one data chunk, the coding chunks depend only on the new bytes
    const Positions coding(code_.coding_positions().begin(), code_.coding_positions().end());
    for (std::size_t first = 0; first < starts_; first++) {
      Positions read = coding;
      for (int i = 0; i < changed_chunks_; i++) {
        read.push_back(code_.data_positions()[(first + static_cast<std::size_t>(i)) % starts_]);
      }
      result.push_back({.reads = whole_chunks(code_, read), .writes = coding, .part = {}, .new_bytes = changed_chunks_});
    }
    return result;
  }

 private:
  static void overwrite_or_undo(const EncodedObject& object, std::size_t first, std::span<std::uint8_t> scratch) {
    if (object.overwritten_from()) {
      object.undo_overwrite(scratch);
    } else {
      object.overwrite(first, scratch);
    }
  }

  /// And the second overwrite, which restores the old bytes.
  static void check_twice(const EncodedObject& object, std::size_t first) {
    for (int i = 0; i < 2; i++) {
      overwrite_or_undo(object, first, object.scratch());
      object.check_overwrite();
    }
  }

  const ErasureCode& code_;
  int changed_chunks_;
  std::size_t starts_;
};

}  // namespace

std::unique_ptr<Workload> make_overwrite_workload(const Point& point, const EncodedObject& object) {
  check_overwrite(object.code(), point, object.chunk_size_bytes());
  return std::make_unique<OverwriteWorkload>(point.changed_chunks, object);
}

}  // namespace ecbench
