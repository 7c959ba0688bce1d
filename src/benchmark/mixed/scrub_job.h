// The job of a deep scrub. It reads all chunks of an object, and checks the CRC32C of each block, as BlueStore does when it reads,
// and of each stride, as Ceph does in a deep scrub. Ceph compares no coding chunks with the data.

#pragma once

#include "benchmark/mixed/jobs.h"
#include "benchmark/objects/crc32c.h"

namespace ecbench {

inline constexpr std::size_t checksum_block_bytes = 4096;                  // BlueStore's csum_block_order 12
inline constexpr std::size_t scrub_stride_bytes = std::size_t{512} << 10;  // osd_deep_scrub_stride

class ScrubJob : public Job {
 public:
  /// Throws Error (wrong_bytes) if a changed byte of a chunk is not detected. `objects` is the number of objects.
  ScrubJob(const EncodedObject& truth, std::size_t objects);

  std::size_t object_count() const override { return objects_.size(); }
  void run(std::size_t object) override { is_clean_[object] = has_checksums(*objects_[object]) ? 1 : 0; }
  void poison(std::size_t object) override { is_clean_[object] = 0; }
  void check(std::size_t object) override;
  /// Whether every checksum of the object is that of `truth`.
  bool has_checksums(const EncodedObject& object) const;

 private:
  Crc32c crc32c_;
  std::vector<std::uint32_t> expected_;  // of every chunk, stride after stride: its blocks, then the whole stride
  std::vector<std::unique_ptr<const EncodedObject>> objects_;
  std::vector<std::uint8_t> is_clean_;  // by object: the last result of run()
};

}  // namespace ecbench
