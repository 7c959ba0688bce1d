#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {
namespace {

using Set = std::set<int>;

// clay of Ceph 20.2 moves sub-chunks that are not aligned to this number of bytes to other memory, and then loses what it writes.
constexpr std::size_t sub_chunk_unit = 64;

/// A buffer of the caller's memory, which is not copied. Ceph's buffers take only memory that is not const, so this function casts
/// const away. This is safe, because Ceph's functions do not write to their inputs.
auto raw(const std::uint8_t* bytes, std::size_t size) {
  auto* memory = const_cast<char*>(reinterpret_cast<const char*>(bytes));
  return ceph::buffer::create_static(static_cast<unsigned>(size), memory);
}

ceph::bufferlist wrapped(const std::uint8_t* bytes, std::size_t size) {
  ceph::bufferlist list;
  list.push_back(ceph::buffer::ptr_node::create(raw(bytes, size)));
  return list;
}

Set as_set(const Positions& positions) { return {positions.begin(), positions.end()}; }

/// Chunks for tests of the code. Their memory is aligned as ecbench's contract for erasure codes requires.
class TrialChunks {
 public:
  TrialChunks(int chunk_count, std::size_t chunk_size)
      : chunk_size_(chunk_size), units_((chunk_size + sizeof(Unit) - 1) / sizeof(Unit)), memory_(index(chunk_count) * units_) {}

  std::uint8_t* operator[](int position) { return memory_[index(position) * units_].data(); }
  std::vector<std::uint8_t*> pointers() {
    std::vector<std::uint8_t*> result;
    for (std::size_t i = 0; i < memory_.size(); i += units_) result.push_back(memory_[i].data());
    return result;
  }
  void poison(int position) {
    for (std::size_t i = 0; i < chunk_size_; i++) (*this)[position][i] ^= 0xff;
  }
  bool is_same(int position, const TrialChunks& other) const {
    const std::size_t first = index(position) * units_;
    return std::memcmp(memory_[first].data(), other.memory_[first].data(), chunk_size_) == 0;
  }
  std::size_t chunk_size() const { return chunk_size_; }

 private:
  struct alignas(chunk_alignment_bytes) Unit : std::array<std::uint8_t, chunk_alignment_bytes> {};

  std::size_t chunk_size_;
  std::size_t units_;
  std::vector<Unit> memory_;
};

struct Plan : DecodePlan {
  Set wanted;
  Positions available;
  Positions unwanted;  // the lost chunks that are not wanted; Ceph also rebuilds these chunks, in memory that ecbench does not read
};

class CephCode : public ErasureCode, public BenchmarkInfo, public Repair, public ParityDelta {
 public:
  CephCode(Shape shape, std::string plugin, const ceph::CephProfile& profile, std::size_t trial_object_size)
      : ErasureCode(std::move(shape)),
        plugin_(std::move(plugin)),
        instances_(std::make_unique<Instances>(plugin_, profile)),
        all_(as_set(all_but({}, chunk_count()))),
        truth_(chunk_count(), Instances::Lease(*instances_, 0)->get_chunk_size(static_cast<unsigned>(trial_object_size))) {
    std::minstd_rand random(1);
    std::vector<const std::uint8_t*> data;
    std::vector<std::uint8_t*> coding;
    for (const int position : data_positions()) {
      std::generate_n(truth_[position], truth_.chunk_size(), [&] { return static_cast<std::uint8_t>(random() >> 8); });
      data.push_back(truth_[position]);
    }
    for (const int position : coding_positions()) coding.push_back(truth_[position]);
    encode(data, coding, truth_.chunk_size());
    if (sub_chunk_count() > 1) find_parts();
    if (ceph::ErasureCodeInterface20* delta = Instances::Lease(*instances_, 0)->parity_delta(); delta != nullptr && is_in_order()) {
      const std::size_t least = delta->get_minimum_granularity();
      granularity_ = least == 1 ? kernel_alignment : least;
    }
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    if (object_size > INT_MAX) {
      throw Error("an object of " + std::to_string(object_size) + " bytes is not allowed: Ceph's interface takes at most " +
                  std::to_string(INT_MAX) + " bytes; give a smaller object, or a stripe unit");
    }
    const std::scoped_lock lock(sizes_mutex_);
    if (const auto found = sizes_.find(object_size); found != sizes_.end()) return found->second;
    const auto size_in_ceph = [&] {
      const std::size_t size = Instances::Lease(*instances_, 0)->get_chunk_size(static_cast<unsigned>(object_size));
      if (plugin_ == "lrc" && size > 0) try_encode(size);  // the chunk may be too small for the code of a layer
      return std::to_string(size);
    };
    const std::size_t size =
        std::stoul(in_child("Ceph's plugin " + plugin_, "cannot encode an object of " + std::to_string(object_size) + " bytes",
                            "give a larger object", size_in_ceph));
    if (size * index(data_chunk_count()) < object_size || size > INT_MAX) {
      throw Error("Ceph's plugin " + plugin_ + " cannot encode an object of " + std::to_string(object_size) +
                  " bytes: it computes a chunk size of " + std::to_string(size) + " bytes; give a smaller object");
    }
    const std::size_t unit = sub_chunk_unit * index(sub_chunk_count());
    if (is_release_20() && sub_chunk_count() > 1 && size % unit != 0) {
      throw Error("plugin " + plugin_ + " of Ceph " + release() + " computes wrong bytes for an object of " +
                  std::to_string(object_size) + " bytes: its sub-chunks (" + std::to_string(size / index(sub_chunk_count())) +
                  " bytes) are not a multiple of " + std::to_string(sub_chunk_unit) + " bytes; give an object of " +
                  std::to_string(round_up(size, unit) * index(data_chunk_count())) + " bytes");
    }
    return sizes_[object_size] = size;
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    ceph::Chunks chunks;
    for (std::size_t i = 0; i < data.size(); i++) chunks.emplace(data_positions()[i], wrapped(data[i], chunk_size));
    for (std::size_t i = 0; i < coding.size(); i++) chunks.emplace(coding_positions()[i], wrapped(coding[i], chunk_size));
    check(Instances::Lease(*instances_, chunk_size)->encode_chunks(all_, &chunks), "encode");
  }

  ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const override {
    if (wanted.size() == 1 && index(chunk_count()) == available.size() + 1) {
      if (const auto parts = parts_.find(wanted.front()); parts != parts_.end()) return parts->second;
    }
    return ErasureCode::minimum_to_decode(wanted, available);
  }

  const Repair* repair() const override { return parts_.empty() ? nullptr : this; }

  // Ceph allocates memory for the rebuilt chunk. Therefore this function must copy the chunk from Ceph's memory to `rebuilt`.
  void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt,
              std::size_t chunk_size) const override {
    ceph::Chunks parts;
    const std::size_t sub_chunk_size = chunk_size / index(sub_chunk_count());
    for (const auto& [helper, runs] : parts_.at(lost)) {
      std::size_t count = 0;
      for (const SubChunkRun& run : runs) count += index(run.count);
      parts.emplace(helper, wrapped(helpers[index(helper)], count * sub_chunk_size));
    }
    ceph::Chunks decoded;
    check(Instances::Lease(*instances_, chunk_size)->decode({lost}, parts, &decoded, static_cast<int>(chunk_size)), "repair");
    ceph::bufferlist& bytes = decoded[lost];
    if (bytes.length() != chunk_size) {
      throw Error("Ceph's plugin " + plugin_ + " failed to repair: it returned " + std::to_string(bytes.length()) +
                  " bytes for a chunk of " + std::to_string(chunk_size) + " bytes");
    }
    std::memcpy(rebuilt, bytes.c_str(), chunk_size);
  }

  const ParityDelta* parity_delta() const override { return granularity_ == 0 ? nullptr : this; }
  std::size_t granularity() const override { return granularity_; }
  std::size_t scratch_size(std::size_t size) const override { return size; }

  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    const Instances::Lease instance(*instances_, 0);  // codes with parity delta keep no buffers, so one instance serves all sizes
    ceph::ErasureCodeInterface20& code = *instance->parity_delta();
    for (const ChangedChunk& chunk : changed) {
      ceph::bufferptr delta(raw(scratch.data(), size));
      code.encode_delta(raw(chunk.old_bytes, size), raw(chunk.new_bytes, size), &delta);
      ceph::ShardBuffers deltas(chunk_count());
      ceph::ShardBuffers updated(chunk_count());
      deltas.emplace(position(chunk.chunk), std::move(delta));
      for (std::size_t i = 0; i < coding.size(); i++) updated.emplace(coding_positions()[i], raw(coding[i], size));
      code.apply_delta(deltas, updated);
    }
  }

  void empty_call() const override {
    alignas(chunk_alignment_bytes) std::array<std::uint8_t, chunk_alignment_bytes> bytes;
    const Instances::Lease instance(*instances_, 0);
    ceph::Chunks chunks;
    for (const int position : all_) chunks.emplace(position, wrapped(bytes.data(), bytes.size()));
  }

  std::string kernel() const override { return kernel_of(plugin_); }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    auto plan = std::make_unique<Plan>();
    plan->erased = erased;
    plan->rebuilt = rebuilt;
    plan->wanted = as_set(rebuilt);
    plan->available = all_but(erased, chunk_count());
    std::ranges::set_difference(erased, rebuilt, std::back_inserter(plan->unwanted));
    plan->reads = reads_of(*plan);
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    check(status_of(static_cast<const Plan&>(plan), chunks, chunk_size), "decode");
  }

 private:
  /// Throws Error if Ceph writes bytes after the chunks. Bit-matrix codes write whole packets, however small a chunk is.
  void try_encode(std::size_t chunk_size) const {
    constexpr std::size_t guard_bytes = std::size_t{1} << 20;
    TrialChunks chunks(chunk_count(), chunk_size + guard_bytes);
    std::vector<const std::uint8_t*> data;
    std::vector<std::uint8_t*> coding;
    for (const int position : data_positions()) data.push_back(chunks[position]);
    for (const int position : coding_positions()) coding.push_back(chunks[position]);
    for (const int position : all_) {
      std::memset(chunks[position], 1, chunk_size);
      std::memset(chunks[position] + chunk_size, guard_byte(position), guard_bytes);
    }
    encode(data, coding, chunk_size);
    for (const int position : all_) {
      const std::uint8_t* end = chunks[position] + chunk_size;
      if (std::all_of(end, end + guard_bytes, [&](std::uint8_t byte) { return byte == guard_byte(position); })) continue;
      throw Error("Ceph's plugin " + plugin_ + " cannot encode chunks of " + std::to_string(chunk_size) +
                  " bytes: it writes after the end of chunk " + std::to_string(position) +
                  "; give a larger object, or a smaller packetsize");
    }
  }

  /// Different in each chunk, because the XOR of equal bytes of an even number of chunks is 0, and of an odd number the same byte.
  static std::uint8_t guard_byte(int position) { return static_cast<std::uint8_t>(1 + 37 * position); }

  static constexpr std::size_t most_known_losses = 4096;
  static constexpr std::size_t kernel_alignment = 32;  // gf-complete aborts if delta and coding chunk are aligned differently

  /// The chunks that Ceph reads to recover a loss. Throws Error (unrecoverable) if Ceph does not recover the loss. The results are
  /// kept in `reads_`, because find_reads() takes longer than Ceph's decode_chunks() takes to make its decode plan.
  Positions reads_of(const Plan& plan) const {
    const std::pair key{plan.erased, plan.rebuilt};
    {
      const std::scoped_lock lock(reads_mutex_);
      if (const auto found = reads_.find(key); found != reads_.end()) return found->second;
    }
    const Positions reads = find_reads(plan);
    const std::scoped_lock lock(reads_mutex_);
    if (reads_.size() >= most_known_losses) reads_.clear();
    reads_[key] = reads;
    return reads;
  }

  Positions find_reads(const Plan& plan) const {
    ceph::SubChunks minimum;
    const Set available = as_set(plan.available);
    if (Instances::Lease(*instances_, 0)->minimum_to_decode(plan.wanted, available, &minimum) < 0) {
      refuse_unrecoverable(plan.erased, "minimum_to_decode() of Ceph's plugin " + plugin_ + " failed");
    }
    Positions reads;
    for (const auto& [position, runs] : minimum) reads.push_back(position);
    if (is_right(plan, reads)) return reads;
    if (is_right(plan, plan.available)) return plan.available;
    refuse_unrecoverable(plan.erased, "Ceph's plugin " + plugin_ + " does not return the right bytes");
  }

  int status_of(const Plan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
    ceph::Chunks available;
    ceph::Chunks decoded;
    for (const int position : plan.available) {
      ceph::bufferlist list = wrapped(chunks[index(position)], chunk_size);
      available.emplace(position, list);
      decoded.emplace(position, std::move(list));
    }
    for (const int position : plan.rebuilt) decoded.emplace(position, wrapped(chunks[index(position)], chunk_size));
    for (const int position : plan.unwanted) {
      decoded[position].push_back(ceph::buffer::ptr_node::create(
          ceph::buffer::create_aligned(static_cast<unsigned>(chunk_size), static_cast<unsigned>(chunk_alignment_bytes))));
    }
    return Instances::Lease(*instances_, chunk_size)->decode_chunks(plan.wanted, available, &decoded);
  }

  /// Tests the plan with the small object that the constructor encoded. Before the test, all chunks that are not in `reads` get
  /// wrong bytes. Returns true if Ceph rebuilds the wanted chunks and changes no other chunk.
  bool is_right(const Plan& plan, const Positions& reads) const {
    TrialChunks chunks = truth_;
    for (const int position : plan.available) {
      if (!std::ranges::binary_search(reads, position)) chunks.poison(position);
    }
    for (const int position : plan.erased) chunks.poison(position);
    const TrialChunks before = chunks;
    if (status_of(plan, chunks.pointers(), chunks.chunk_size()) < 0) return false;
    return std::ranges::all_of(
        all_, [&](int position) { return chunks.is_same(position, plan.wanted.contains(position) ? truth_ : before); });
  }

  /// Finds each chunk that Ceph can repair from parts of other chunks, and stores these parts in `parts_`.
  void find_parts() {
    for (const int lost : all_) {
      ceph::SubChunks minimum;
      if (Instances::Lease(*instances_, 0)->minimum_to_decode({lost}, as_set(all_but({lost}, chunk_count())), &minimum) < 0)
        continue;
      ReadSet reads;
      bool has_parts = false;
      for (const auto& [position, runs] : minimum) {
        int count = 0;
        for (const auto& [first, length] : runs) {
          reads[position].push_back({first, length});
          count += length;
        }
        has_parts = has_parts || count < sub_chunk_count();
      }
      if (has_parts) parts_[lost] = reads;
    }
  }

  void check(int status, const std::string& what) const {
    if (status < 0) throw Error("Ceph's plugin " + plugin_ + " failed to " + what + ": " + error_text(status));
  }

  std::string plugin_;
  std::unique_ptr<Instances> instances_;
  Set all_;
  TrialChunks truth_;
  std::map<int, ReadSet> parts_;
  std::size_t granularity_ = 0;  // 0: no parity delta
  mutable std::mutex sizes_mutex_;
  mutable std::map<std::size_t, std::size_t> sizes_;  // key: object size; value: chunk size
  mutable std::mutex reads_mutex_;
  mutable std::map<std::pair<Positions, Positions>, Positions> reads_;  // results of reads_of()
};

Shape shape_of(ceph::ErasureCodeInterface& code) {
  Shape shape{.data_chunk_count = static_cast<int>(code.get_data_chunk_count()),
              .chunk_count = static_cast<int>(code.get_chunk_count()),
              .sub_chunk_count = code.get_sub_chunk_count()};
  const std::vector<int> mapping = code.chunk_mapping();
  if (!mapping.empty()) shape.data_positions.assign(mapping.begin(), mapping.begin() + shape.data_chunk_count);
  return shape;
}

/// All losses of one chunk and, with at least two coding chunks, of two chunks with adjacent positions.
std::vector<Positions> losses(const ErasureCode& code) {
  std::vector<Positions> result;
  for (int lost = 0; lost < code.chunk_count(); lost++) {
    result.push_back({lost});
    if (code.coding_chunk_count() > 1 && lost + 1 < code.chunk_count()) result.push_back({lost, lost + 1});
  }
  return result;
}

std::unique_ptr<CephCode> make_untried(const std::string& plugin, const ceph::CephProfile& profile, std::size_t trial_object_size) {
  return std::make_unique<CephCode>(shape_of(*make_ceph_code(plugin, profile)), plugin, profile, trial_object_size);
}

constexpr const char* crashes = "crashes with this profile";
constexpr const char* other_profile = "give another profile";

/// Tries five object sizes, with sub-chunks of 64 bytes to 16 MiB. Returns the smallest of them for which Ceph can compute a chunk
/// size. One size is not sufficient: with jerasure-per-chunk-alignment, Ceph aborts if a chunk would be smaller than the required
/// alignment. Throws Error if Ceph fails with all these sizes.
std::size_t find_trial_object_size(const std::string& plugin, const ceph::CephProfile& profile) {
  const std::string name = "Ceph's plugin " + plugin;
  const std::string sub_chunk_count = in_child(name, crashes, other_profile, [&] {
    const auto code = make_ceph_code(plugin, profile);
    return std::to_string(code->get_data_chunk_count() * static_cast<unsigned>(code->get_sub_chunk_count()));
  });
  constexpr std::array<std::size_t, 5> sizes{sub_chunk_unit, 4 << 10, 64 << 10, 1 << 20, 16 << 20};
  for (const std::size_t size : sizes) {
    const std::size_t object_size = size * std::stoul(sub_chunk_count);
    try {
      in_child(name, crashes, other_profile,
               [&] { return std::to_string(make_ceph_code(plugin, profile)->get_chunk_size(static_cast<unsigned>(object_size))); });
      return object_size;
    } catch (const Error&) {
      if (size == sizes.back()) throw;
    }
  }
  return 0;
}

}  // namespace

std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const ceph::CephProfile& profile) {
  const std::size_t object_size = find_trial_object_size(plugin, profile);
  in_child("Ceph's plugin " + plugin, crashes, other_profile, [&] {
    const std::unique_ptr<CephCode> code = make_untried(plugin, profile, object_size);
    for (const Positions& lost : losses(*code)) recovers([&] { code->plan(lost, lost); });
    return std::string();
  });
  return make_untried(plugin, profile, object_size);
}

}  // namespace ecbench::ceph_plugins
