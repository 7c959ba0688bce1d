#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <set>
#include <vector>

#include "erasure_code/error.h"
#include "plugins/lrc/codes.h"

namespace ecbench::lrc {
namespace {

// Rebuilds lost chunks layer by layer. Passes, which use each layer once, are repeated until one rebuilds nothing.

struct Step {
  int layer = 0;
  std::shared_ptr<const DecodePlan> plan;  ///< a plan of the layer's code; it uses the chunk numbers of this code
};

struct Passes {
  std::vector<Step> steps;
  Positions reads;
  Positions intermediates;  ///< lost chunks that are not wanted, but are rebuilt because a later step reads them
};

using Chunks = std::set<int>;

std::shared_ptr<const DecodePlan> plan_if_possible(const ErasureCode& code, const Positions& erased, const Positions& wanted) {
  std::shared_ptr<const DecodePlan> plan;
  recovers([&] { plan = code.plan(erased, wanted); });
  return plan;
}

/// As chunk numbers of the layer's code; `chunks` are positions.
Positions members(const Layer& layer, const Chunks& chunks) {
  Positions numbers;
  for (int number = 0; number < static_cast<int>(layer.positions.size()); number++) {
    if (chunks.count(layer.positions[index(number)])) numbers.push_back(number);
  }
  return numbers;
}

/// Chunk numbers of the layer's code: still lost, and those of them that it can rebuild.
struct Turn {
  int layer;
  Positions lost;
  Positions rebuilt;
};

Positions recoverable(const ErasureCode& code, const Positions& lost) {
  if (plan_if_possible(code, lost, lost) != nullptr) return lost;
  Positions some;
  for (const int chunk : lost) {
    if (plan_if_possible(code, lost, {chunk}) != nullptr) some.push_back(chunk);
  }
  return some;
}

std::vector<Turn> all_turns(const std::vector<Layer>& layers, const std::vector<int>& chosen, Chunks missing) {
  std::vector<Turn> turns;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const int number : chosen) {
      const Layer& layer = layers[index(number)];
      const Positions lost = members(layer, missing);
      if (lost.empty()) continue;
      Turn turn{number, lost, recoverable(*layer.code, lost)};
      if (turn.rebuilt.empty()) continue;
      for (const int chunk : turn.rebuilt) missing.erase(layer.positions[index(chunk)]);
      turns.push_back(std::move(turn));
      is_changed = true;
    }
  }
  return turns;
}

/// From the last turn to the first, because a turn may read what an earlier one rebuilds.
std::optional<Passes> needed_steps(const std::vector<Layer>& layers, const std::vector<Turn>& turns, const Positions& erased,
                                   const Positions& targets) {
  Passes passes;
  Chunks needed(targets.begin(), targets.end());
  Chunks reads;
  Chunks intermediates;
  for (const Turn& turn : std::views::reverse(turns)) {
    const Layer& layer = layers[index(turn.layer)];
    Positions wanted;
    std::ranges::set_intersection(turn.rebuilt, members(layer, needed), std::back_inserter(wanted));
    if (wanted.empty()) continue;
    const std::shared_ptr<const DecodePlan> plan = plan_if_possible(*layer.code, turn.lost, wanted);
    if (plan == nullptr) return {};
    for (const int chunk : wanted) needed.erase(layer.positions[index(chunk)]);
    for (const int chunk : plan->reads) {
      const int position = layer.positions[index(chunk)];
      if (!std::ranges::binary_search(erased, position)) {
        reads.insert(position);
        continue;
      }
      needed.insert(position);
      if (!std::ranges::binary_search(targets, position)) intermediates.insert(position);
    }
    passes.steps.insert(passes.steps.begin(), {turn.layer, plan});
  }
  if (!needed.empty()) return {};
  passes.reads.assign(reads.begin(), reads.end());
  passes.intermediates.assign(intermediates.begin(), intermediates.end());
  return passes;
}

struct ByReads : Passes {
  bool operator<(const ByReads& other) const { return reads.size() < other.reads.size(); }
};

/// For `targets` (a subset of `erased`, ascending); nothing if passes cannot rebuild them. A pass goes from the last layer to the
/// first, as in Ceph (decode_chunks in ErasureCodeLrc.cc), but uses only the layers with which the fewest chunks are read
/// (recovery.h), without unnecessary steps.
std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets) {
  const Chunks missing(erased.begin(), erased.end());
  std::vector<int> units;  // layers with a lost chunk, in reverse order
  for (int number = static_cast<int>(layers.size()) - 1; number >= 0; number--) {
    if (!members(layers[index(number)], missing).empty()) units.push_back(number);
  }
  return best_of_subsets(static_cast<int>(units.size()), [&](const std::vector<int>& set) -> std::optional<ByReads> {
    std::vector<int> chosen;
    for (const int unit : set) chosen.push_back(units[index(unit)]);
    std::optional<Passes> passes = needed_steps(layers, all_turns(layers, chosen, missing), erased, targets);
    return passes ? std::optional(ByReads{std::move(*passes)}) : std::nullopt;
  });
}

/// Aligned as the contract requires.
class Scratch {
 public:
  std::uint8_t* of_size(std::size_t size) {
    if (size > size_) {
      memory_.reset(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[size]);
      size_ = size;
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{chunk_alignment_bytes}); }
  };

  std::unique_ptr<std::uint8_t[], Free> memory_;
  std::size_t size_ = 0;
};

/// A layer may be an LRC code, whose plans run within a plan of the outer code, so each depth of nesting has its own memory.
class ThreadScratch {
 public:
  ThreadScratch() {
    if (depth_ == of_depth_.size()) of_depth_.emplace_back();
    scratch_ = &of_depth_[depth_++];
  }
  ~ThreadScratch() { depth_--; }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  std::uint8_t* of_size(std::size_t size) { return scratch_->of_size(size); }

 private:
  static thread_local std::deque<Scratch> of_depth_;  // a deque, because its elements keep their addresses when it grows
  static thread_local std::size_t depth_;

  Scratch* scratch_;
};

thread_local std::deque<Scratch> ThreadScratch::of_depth_;
thread_local std::size_t ThreadScratch::depth_ = 0;

/// False if the code throws an Error, or writes after the end of a chunk, whose memory has `room` bytes.
bool can_encode(const ErasureCode& code, std::size_t chunk_size, std::size_t room) {
  constexpr std::uint8_t untouched = 0xa5;
  const std::size_t stride = round_up(room, chunk_alignment_bytes);
  const std::size_t total = stride * index(code.chunk_count());
  Scratch memory;
  std::uint8_t* const first = memory.of_size(total);
  std::fill_n(first, total, untouched);
  std::vector<std::uint8_t*> chunks;
  for (int i = 0; i < code.chunk_count(); i++) chunks.push_back(first + stride * index(i));
  const std::vector<const std::uint8_t*> data(chunks.begin(), chunks.begin() + code.data_chunk_count());
  try {
    code.encode(data, std::span(chunks).subspan(data.size()), chunk_size);
  } catch (const Error&) {
    return false;
  }
  const auto is_untouched = [](std::uint8_t byte) { return byte == untouched; };
  return std::ranges::all_of(
      chunks, [&](const std::uint8_t* chunk) { return std::all_of(chunk + chunk_size, chunk + stride, is_untouched); });
}

/// The unit of a code's chunk sizes, which can be smaller than its padding: the size of the smallest chunk, halved as long as the
/// code can encode. Not halved: sub-chunks of array codes, and smallest chunks above 16 MiB (large packetsize).
std::size_t granule_of(const ErasureCode& code) {
  constexpr std::size_t most_tried = 16 << 20;
  const std::size_t smallest = code.chunk_size(1);
  std::size_t granule = smallest;
  while (code.sub_chunk_count() == 1 && smallest <= most_tried && granule % 2 == 0 && can_encode(code, granule / 2, smallest))
    granule /= 2;
  return granule;
}

class LayeredCode : public LrcCode {
 public:
  LayeredCode(Shape shape, std::vector<Layer> made) : LrcCode(std::move(shape), std::move(made)) {
    for (const Layer& layer : layers()) granules_.push_back(granule_of(*layer.code));
  }

  /// The chunk size of the first layer. Throws Error if another layer cannot code chunks of that size.
  std::size_t chunk_size(std::size_t object_size) const override {
    const std::size_t size = layers().front().code->chunk_size(object_size);
    for (std::size_t i = 1; i < layers().size(); i++) {
      if (size % granules_[i] == 0) continue;
      throw Error("an object of " + std::to_string(object_size) + " bytes is not allowed: " + layers().front().name +
                  " divides it into chunks of " + std::to_string(size) + " bytes, but the chunks of " + layers()[i].name +
                  " must be multiples of " + std::to_string(granules_[i]) + " bytes; choose another object size");
    }
    return size;
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    const ChunkPointers<std::uint8_t> all = by_position(data, coding);
    for (const Layer& layer : layers()) {
      const std::size_t k = index(layer.code->data_chunk_count());
      ChunkPointers<const std::uint8_t> sources;
      ChunkPointers<std::uint8_t> destinations;
      for (std::size_t i = 0; i < layer.positions.size(); i++) {
        std::uint8_t* const chunk = all[index(layer.positions[i])];
        if (i < k) {
          sources[i] = chunk;
        } else {
          destinations[i - k] = chunk;
        }
      }
      layer.code->encode(std::span(sources).first(k), std::span(destinations).first(layer.positions.size() - k), chunk_size);
    }
  }

 protected:
  std::vector<const BenchmarkInfo*> kernel_infos() const override {
    std::vector<const BenchmarkInfo*> infos;
    for (const Layer& layer : layers()) infos.push_back(&info_of(*layer.code));
    return infos;
  }
  /// Makes plans for the losses that fewest_reads() can recover. Refuses all other losses.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    std::optional<Passes> passes = fewest_reads(layers(), erased, rebuilt);
    if (!passes)
      refuse_unrecoverable(erased, "the layers decode one after the other, and no order of the layers recovers the wanted chunks");
    auto plan = std::make_unique<Plan>();
    plan->reads = passes->reads;
    plan->passes = std::move(*passes);
    return plan;
  }
  /// Chunks that are not wanted, but are rebuilt because a later step reads them, are stored in memory of the thread. This memory
  /// grows if necessary, and the thread keeps it.
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const Passes& passes = static_cast<const Plan&>(plan).passes;
    ChunkPointers<std::uint8_t> all;
    std::ranges::copy(chunks, all.begin());
    std::optional<ThreadScratch> scratch;
    if (!passes.intermediates.empty()) {
      scratch.emplace();
      const std::size_t stride = round_up(chunk_size, chunk_alignment_bytes);
      std::uint8_t* next = scratch->of_size(stride * passes.intermediates.size());
      for (const int position : passes.intermediates) {
        all[index(position)] = next;
        next += stride;
      }
    }
    for (const Step& step : passes.steps) {
      const Layer& layer = layers()[index(step.layer)];
      ChunkPointers<std::uint8_t> own;
      for (std::size_t i = 0; i < layer.positions.size(); i++) own[i] = all[index(layer.positions[i])];
      layer.code->decode(*step.plan, std::span(own).first(layer.positions.size()), chunk_size);
    }
  }

 private:
  struct Plan : DecodePlan {
    Passes passes;
  };

  std::vector<std::size_t> granules_;  // the size of the chunks of layer i must be a multiple of granules_[i] bytes
};

}  // namespace

std::unique_ptr<ErasureCode> make_layered_code(Shape shape, std::vector<Layer> layers) {
  return std::make_unique<LayeredCode>(std::move(shape), std::move(layers));
}

}  // namespace ecbench::lrc
