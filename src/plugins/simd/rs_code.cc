#include <algorithm>
#include <array>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/fft/transform.h"
#include "plugins/simd/recovery.h"

namespace ecbench::simd {
namespace {

class RsCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  explicit RsCode(Design design)
      : ErasureCode(design.shape),
        design_(std::move(design)),
        encoding_(*design_.kernel, design_.coding_rows, basis_of(design_.points)) {
    const int k = data_chunk_count();
    for (const Element element : design_.coding_rows.elements) elements_.push_back(static_cast<std::uint8_t>(element));
    coding_ = {.elements = elements_,
               .k = k,
               .is_cauchy = design_.is_cauchy,
               .has_ones = std::all_of(elements_.begin(), elements_.begin() + k, [](std::uint8_t element) { return element == 1; }),
               .has_powers = coding_chunk_count() > 1 && form_of(elements_.data(), 2, k) == Form::powers};
    transform_ = make_transform();
    if (design_.points != PointCode::none && design_.transform != TransformPolicy::direct && coding_chunk_count() > 1)
      multipliers_ = multipliers(design_.points, k, coding_chunk_count());
    // Shorter chunks have too few vectors for the passes of an FFT. With 64 bytes, the gain is about half of that of long chunks.
    if (transform_ && design_.transform == TransformPolicy::automatic)
      shortest_for_fft_ = is_faster(transform_->cost(), coding_chunk_count(), 2.5) ? 64 : 128;
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), design_.chunk_multiple);
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    if (transform_ && chunk_size >= shortest_for_fft_) return transform_->run(data, coding, chunk_size);
    encoding_.run(data, coding, chunk_size, store_for(design_.store, data.size(), coding.size(), chunk_size));
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return design_.kernel->name; }
  /// With " (FFT)" if a transform computes the chunks.
  std::string kernel_of(const DecodePlan* plan) const override {
    if (plan != nullptr && plan->rebuilt.empty()) return kernel();  // make_plan() did not make it
    const std::unique_ptr<Transform>& transform = plan == nullptr ? transform_ : static_cast<const Plan*>(plan)->transform;
    return kernel() + (transform ? " (FFT)" : "");
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    const Losses lost = losses(*this, erased, rebuilt);
    const int k = data_chunk_count();
    std::unique_ptr<Plan> plan = transform_plan(lost);
    if (!plan) {
      RecoveryRows rows;
      if (!find_rows(coding_, lost, rows)) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
      const Kernel& kernel = *design_.kernel;
      const Plan::TableBytes table_bytes{Multiplication::table_bytes(kernel, lost.rebuilt.count, k)};
      plan.reset(new (table_bytes) Plan(kernel, lost, k, rows, basis_of(design_.points)));
    }
    std::uint8_t* participant = plan->participants.data();
    for (const ChunkList* chunks : {&lost.survivors, &lost.rebuilt}) {
      for (const int chunk : chunks->all()) *participant++ = static_cast<std::uint8_t>(position(ChunkNumber{chunk}));
    }
    plan->target_count = lost.rebuilt.count;
    plan->reads.assign(plan->participants.data(), plan->participants.data() + k);
    if (!is_in_order()) std::ranges::sort(plan->reads);
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto& own = static_cast<const Plan&>(plan);
    const std::size_t k = index(data_chunk_count());
    const std::size_t target_count = index(own.target_count);
    ChunkPointers<const std::uint8_t> sources;
    ChunkPointers<std::uint8_t> targets;
    for (std::size_t i = 0; i < k; i++) sources[i] = chunks[own.participants[i]];
    for (std::size_t i = 0; i < target_count; i++) targets[i] = chunks[own.participants[k + i]];
    const auto from = std::span(sources).first(k);
    const auto to = std::span(targets).first(target_count);
    if (own.transform) return own.transform->run(from, to, chunk_size);
    own.multiplication->run(from, to, chunk_size, store_for(design_.store, k, target_count, chunk_size));
  }

 private:
  /// The tables follow this object in memory, so that they do not need a separate allocation.
  struct Plan final : DecodePlan {
    Plan(const Kernel& kernel, const Losses& losses, int k, const RecoveryRows& rows, Basis basis) {
      multiplication.emplace(kernel, losses.rebuilt.count, k, rows.elements.data(), rows.form, losses.lost_data.all(), tables(),
                             basis);
    }
    explicit Plan(std::unique_ptr<Transform> reverse) : transform(std::move(reverse)) {}

    struct TableBytes {
      std::size_t count;
    };
    static void* operator new(std::size_t size, TableBytes tables) { return ::operator new(size + cache_line + tables.count); }
    static void operator delete(void* plan, TableBytes) { ::operator delete(plan); }
    static void operator delete(void* plan) { ::operator delete(plan); }

    std::array<std::uint8_t, most_chunks> participants;  // positions: k sources, then the chunks to rebuild
    int target_count = 0;
    std::optional<Multiplication> multiplication;
    std::unique_ptr<Transform> transform;  // used instead of the multiplication

   private:
    std::uint8_t* tables() {
      const auto end = reinterpret_cast<std::uintptr_t>(this + 1);
      return reinterpret_cast<std::uint8_t*>((end + cache_line - 1) / cache_line * cache_line);
    }
  };

  /// The transform that encodes, or null if encoding_ encodes.
  std::unique_ptr<Transform> make_transform() const {
    const int k = data_chunk_count();
    const int m = coding_chunk_count();
    std::unique_ptr<Transform> best;
    if (design_.transform == TransformPolicy::direct) return best;
    for (const int layers : usable_layers(design_.points, k, m)) {
      auto transform =
          std::make_unique<Transform>(*design_.kernel, basis_of(design_.points), k, m, encoding_sums(design_.points, k, m, layers));
      if (!best || transform->cost() < best->cost()) best = std::move(transform);
    }
    if (best && design_.transform == TransformPolicy::automatic && !is_faster(best->cost(), m)) best.reset();
    return best;
  }
  /// Whether a transform with this cost is `margin` times as fast as the multiplication by `row_count` rows.
  // Measured with objects of 128 KiB and 1 MiB on Intel Sapphire Rapids, and of 1 MiB on AMD Milan: the speed of the FFT, divided
  // by the speed of the multiplication.
  //
  // | level       | leopard_gf8 8+4 | 10+4 | 16+8 | 32+32 | cauchy 8+4 | 16+8 | 32+32 |
  // | avx2        |             1.9 |  1.6 |  2.7 |   4.7 |        1.4 |  2.1 |   4.4 |
  // | avx2, Milan |             2.0 |  1.7 |  2.5 |   5.0 |        1.5 |  2.1 |   4.6 |
  // | avx2-gfni   |             1.1 |  1.1 |  2.0 |   3.2 |        1.1 |  2.0 |   3.0 |
  // | avx512      |             1.6 |  1.4 |  2.3 |   3.8 |        1.3 |  1.9 |   3.7 |
  // | avx512-gfni |             1.0 |  0.9 |  1.8 |   2.8 |        0.9 |  1.8 |   2.8 |
  bool is_faster(double cost, int row_count, double margin = 1) const {
    const Kernel& kernel = *design_.kernel;
    const int k = data_chunk_count();
    const int passes = (row_count + kernel.most_rows - 1) / kernel.most_rows;
    // With more sources, the multiplication loads the tables of its coefficients from memory.
    constexpr int most_sources_with_kept_tables = 12;
    const double product = k > most_sources_with_kept_tables ? 1.5 : 1.0;
    return margin * cost < product * k * row_count + kernel.access_cost * (passes * k + row_count);
  }
  /// The plan that rebuilds the losses by an FFT, or null if a multiplication rebuilds them.
  std::unique_ptr<Plan> transform_plan(const Losses& losses) const {
    if (multipliers_.empty()) return nullptr;
    const int k = data_chunk_count();
    const int m = coding_chunk_count();
    const int rebuilt = losses.rebuilt.count;
    const Basis basis = basis_of(design_.points);
    const auto plan_of = [&](const auto& sum) {
      auto transform = std::make_unique<Transform>(*design_.kernel, basis, k, rebuilt, sum);
      return std::unique_ptr<Plan>(new (Plan::TableBytes{0}) Plan(std::move(transform)));
    };
    const bool is_automatic = design_.transform == TransformPolicy::automatic;
    if (const std::optional<CosetSum> group = group_sum(design_.points, k, m, losses)) {
      std::unique_ptr<Plan> plan = plan_of(std::span(&*group, 1));
      return is_automatic && !is_faster(plan->transform->cost(), rebuilt) ? nullptr : std::move(plan);
    }
    const int points = end_of_points(design_.points, k, m);
    const double cost = cauchy_cost(*design_.kernel, basis, recovery_layers(points), points, rebuilt);
    // Measured on Intel Emerald Rapids with 1 MiB: the quotient of the costs is up to 1.3 times that of the speeds.
    if (is_automatic && !is_faster(cost, rebuilt, 1.2)) return nullptr;
    return plan_of(recovery_sum(design_.points, k, m, losses, multipliers_));
  }
  std::size_t scratch_size(std::size_t) const override { return 0; }
  /// One call of Multiplication::update() updates all coding chunks with the deltas of all changed chunks.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t>) const override {
    std::array<Change, chunk_count_limit> changes;
    std::ranges::transform(changed, changes.begin(), [](const ChangedChunk& chunk) {
      return Change{index(chunk.chunk), chunk.old_bytes, chunk.new_bytes};
    });
    encoding_.update(std::span(changes).first(changed.size()), coding, size);
  }

  Design design_;
  Multiplication encoding_;
  std::unique_ptr<Transform> transform_;  // encodes instead of encoding_, if chunks have at least shortest_for_fft_ bytes
  std::size_t shortest_for_fft_ = 0;
  std::vector<std::uint8_t> multipliers_;  // of design_.points; empty if no plan uses a transform
  std::vector<std::uint8_t> elements_;     // of design_.coding_rows
  CodingRows coding_;
};

}  // namespace

std::unique_ptr<ErasureCode> make_rs_code(Design design) { return std::make_unique<RsCode>(std::move(design)); }

}  // namespace ecbench::simd
