// The plugin `clay`: Clay codes that compute the same bytes as Ceph's plugin clay. Other plugins provide the scalar code and the
// kernels. A Clay code repairs one lost chunk from 1/q of each of d others, q = d-k+1 (an MSR code, minimum storage regenerating).
// It is built on a scalar code without sub-chunks, usually MDS (any k chunks are enough), and stores as much, except for padding,
// and recovers the same losses.

#include "erasure_code/plugin.h"

#include <algorithm>
#include <mutex>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/matrix.h"
#include "plugins/clay/recovery.h"

namespace ecbench::clay {
namespace {

/// For each node; null for virtual ones.
using NodePointers = ChunkPointers<std::uint8_t>;

struct ClayDesign {
  Geometry geometry;
  int data_chunk_count;             ///< k
  int helper_count;                 ///< d
  std::size_t sub_chunk_unit;       ///< in bytes, a multiple of 16; the size of a sub-chunk is a multiple of sub_chunk_unit
  bool keeps_plans_in_ceph = true;  ///< keeps_plans_in_ceph() of the scalar code
  ScalarCode scalar;                ///< a code that has one chunk for each node of the geometry
  ScalarCode pair;                  ///< a 2+2 code that couples two sub-chunks
};

class ClayCode : public ErasureCode, public BenchmarkInfo, private Repair {
 public:
  /// Throws Error if the scalar code cannot compute its coding chunks, or `pair` cannot couple sub-chunks.
  explicit ClayCode(ClayDesign design)
      : ErasureCode({.data_chunk_count = design.data_chunk_count,
                     .chunk_count = design.geometry.chunk_count(),
                     .sub_chunk_count = design.geometry.sub_chunk_count()}),
        helper_count_(design.helper_count),
        sub_chunk_unit_(design.sub_chunk_unit),
        keeps_plans_in_ceph_(design.keeps_plans_in_ceph),
        geometry_(std::move(design.geometry)),
        scalar_(std::move(design.scalar)),
        pair_(std::move(design.pair)),
        coupling_(pair_),
        layers_(geometry_, coupling_, scalar_.computes_itself() ? sub_chunk_unit_ : 0),
        encoding_(encoding()),
        repairs_(index(chunk_count())) {
    layers_.prepare_thread(encoding_);
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), index(sub_chunk_count()) * sub_chunk_unit_);
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    NodePointers pointers{};
    const ChunkPointers<std::uint8_t> chunks = chunk_pointers<std::uint8_t>(data, coding);
    for (int chunk = 0; chunk < chunk_count(); chunk++) pointers[index(geometry_.node(chunk))] = chunks[index(chunk)];
    layers_.run(encoding_, pointers, sub_chunk_size(chunk_size));
  }

  /// For one wanted chunk with all others available, parts of d chunks if these are sufficient; otherwise whole chunks.
  ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const override {
    if (!is_loss_of_one(wanted, available)) return ErasureCode::minimum_to_decode(wanted, available);
    const int lost = wanted.front();
    const Recovery* recovery = repairing(lost);
    if (recovery == nullptr || recovery->repaired < 0) return ErasureCode::minimum_to_decode(wanted, available);
    ReadSet reads;
    for (const int helper : repair_helpers(geometry_, helper_count_, lost)) reads[helper] = repair_runs(geometry_, lost);
    return reads;
  }

  bool keeps_plans_in_ceph() const override { return keeps_plans_in_ceph_; }
  /// Null if q is 1: a repair then reads k whole chunks.
  const Repair* repair() const override { return geometry_.q() > 1 ? this : nullptr; }
  std::string kernel() const override { return info_of(*encoding_.uncoupled.work).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(*encoding_.uncoupled.work).kernel_functions(); }

 protected:
  /// With an MDS code, the k lowest-numbered available chunks.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    std::optional<Recovery> recovery = decoding(geometry_, scalar_, nodes(erased), nodes(rebuilt));
    if (!recovery) refuse_unrecoverable(erased, "the scalar code cannot rebuild the lost chunks from the available chunks");
    auto plan = std::make_unique<Plan>();
    for (int chunk = 0; chunk < chunk_count(); chunk++) {
      if (recovery->roles[index(geometry_.node(chunk))] == Role::known) plan->reads.push_back(chunk);
    }
    plan->recovery = std::move(*recovery);
    layers_.prepare_thread(plan->recovery);
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    NodePointers pointers{};
    for (int chunk = 0; chunk < chunk_count(); chunk++) pointers[index(geometry_.node(chunk))] = chunks[index(chunk)];
    layers_.run(static_cast<const Plan&>(plan).recovery, pointers, sub_chunk_size(chunk_size));
  }

 private:
  struct Plan : DecodePlan {
    Recovery recovery;
  };
  struct KeptRepair {
    std::once_flag is_made;
    std::unique_ptr<const Recovery> recovery;
  };

  void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt,
              std::size_t chunk_size) const override {
    if (lost < 0 || lost >= chunk_count()) throw Error("chunk " + std::to_string(lost) + " does not exist and cannot be repaired");
    const Recovery* recovery = repairing(lost);
    if (recovery == nullptr) refuse_unrecoverable({lost}, "the scalar code cannot rebuild the lost chunk from the other chunks");
    NodePointers pointers{};
    for (int chunk = 0; chunk < chunk_count(); chunk++) {
      const int node = geometry_.node(chunk);
      if (chunk == lost || recovery->roles[index(node)] == Role::unread) continue;
      if (helpers[index(chunk)] == nullptr) {
        throw Error("chunk " + std::to_string(lost) + " cannot be repaired without helper chunk " + std::to_string(chunk));
      }
      pointers[index(node)] = const_cast<std::uint8_t*>(helpers[index(chunk)]);
    }
    pointers[index(geometry_.node(lost))] = rebuilt;
    layers_.run(*recovery, pointers, sub_chunk_size(chunk_size));
  }

  /// One chunk is wanted, all others are available, and the code has repair() (not with q = 1, which reads whole chunks).
  bool is_loss_of_one(const Positions& wanted, const Positions& available) const {
    if (repair() == nullptr || wanted.size() != 1 || wanted.front() < 0 || wanted.front() >= chunk_count()) return false;
    return std::ranges::is_permutation(available, all_but(wanted, chunk_count()));
  }
  Positions nodes(const Positions& chunks) const {
    Positions result;
    for (const int chunk : chunks) result.push_back(geometry_.node(chunk));
    return result;
  }
  Recovery encoding() const {
    Positions coding(coding_positions().begin(), coding_positions().end());
    std::optional<Recovery> recovery = decoding(geometry_, scalar_, nodes(coding), nodes(coding));
    if (!recovery) throw Error("the scalar code cannot compute all coding chunks of clay; give another scalar_mds");
    return std::move(*recovery);
  }
  /// If all other chunks are available: usually from parts of d chunks. With shec as scalar code and d < k+m-1, another chunk may
  /// be needed; then from whole chunks. Null if it cannot be rebuilt.
  const Recovery* repairing(int lost) const {
    KeptRepair& kept = repairs_.at(index(lost));
    // repair() is timed, so only the first call computes.
    std::call_once(kept.is_made, [&] {
      std::optional<Recovery> recovery = make_repair(lost);
      if (!recovery) return;
      layers_.prepare_thread(*recovery);
      kept.recovery = std::make_unique<const Recovery>(std::move(*recovery));
    });
    return kept.recovery.get();
  }
  std::optional<Recovery> make_repair(int lost) const {
    const int node = geometry_.node(lost);
    const Positions helpers = repair_helpers(geometry_, helper_count_, lost);
    Positions unread;
    for (int chunk = 0; chunk < chunk_count(); chunk++) {
      if (chunk != lost && !std::ranges::binary_search(helpers, chunk)) unread.push_back(geometry_.node(chunk));
    }
    std::optional<Recovery> recovery = clay::repairing(geometry_, scalar_, node, unread);
    if (!recovery || !unread.empty()) {
      std::optional<Recovery> from_whole_chunks = decoding(geometry_, scalar_, {node}, {node});
      if (!from_whole_chunks) return {};
      // minimum_to_decode() must name what the plan reads: whole chunks if the plan reads one that is not a helper.
      const auto is_known = [&](int other) { return from_whole_chunks->roles[index(other)] == Role::known; };
      if (!recovery || std::ranges::any_of(unread, is_known)) recovery = std::move(from_whole_chunks);
    }
    return recovery;
  }
  std::size_t sub_chunk_size(std::size_t chunk_size) const {
    const std::size_t unit = index(sub_chunk_count()) * sub_chunk_unit_;
    if (chunk_size % unit == 0) return chunk_size / index(sub_chunk_count());
    throw Error("chunks of " + std::to_string(chunk_size) +
                " bytes cannot be encoded or decoded: their size must be a multiple of " + std::to_string(unit) + " bytes (" +
                std::to_string(sub_chunk_unit_) + " bytes for each of the " + std::to_string(sub_chunk_count()) + " sub-chunks)");
  }

  int helper_count_;
  std::size_t sub_chunk_unit_;
  bool keeps_plans_in_ceph_;
  Geometry geometry_;
  ScalarCode scalar_;
  ScalarCode pair_;
  Coupling coupling_;
  Layers layers_;
  Recovery encoding_;
  mutable std::vector<KeptRepair> repairs_;  // the index is the number of the lost chunk; each element is computed at its first use
};

constexpr long sub_chunk_limit = 65536;
constexpr std::size_t kernel_alignment = 16;  // required by products.h
constexpr const char* default_backend = "jerasure";

std::vector<Parameter> parameters() {
  return {
      number_parameter("k", "4", 2, node_limit,
                       "Ceph does not allow k=1; k+m, rounded up to a multiple of d-k+1, must be at most 254", "data chunks"),
      number_parameter(
          "m", "2", 1, node_limit,
          "without coding chunks, no lost chunk can be rebuilt; k+m, rounded up to a multiple of d-k+1, must be at most 254",
          "coding chunks. Clay recovers the same losses as its scalar code. If the scalar code is MDS, any m lost chunks can be "
          "recovered"),
      number_parameter(
          "d", "", 2, std::numeric_limits<int>::max(), "d is at least k, and k is at least 2",
          "the number of other chunks from which one lost chunk is repaired: k to k+m-1 (default: k+m-1). The repair reads "
          "1/(d-k+1) of each of these chunks. In total, these are the bytes of d/(d-k+1) chunks, instead of k chunks. With "
          "a greater d, the repair reads fewer bytes. The repair can read many separate pieces of a chunk, because a chunk "
          "consists of (d-k+1)^((k+m)/(d-k+1)) sub-chunks, with the exponent rounded up. If more than one chunk is lost, k "
          "whole chunks are read. With d=k, sub-chunks are not coupled, so clay is the same as its scalar code"),
      text_parameter("scalar_mds", "jerasure",
                     "the plugin of the scalar code: jerasure, isa, shec (with c=2), or another plugin. The plugin must have a "
                     "code with k+m chunks and a code with 2+2 chunks"),
      text_parameter("technique", "",
                     "the technique of the scalar code. The default is reed_sol_van for jerasure, and single for shec. For other "
                     "plugins, it is the plugin's own default"),
      text_parameter(
          "backend", "",
          "the plugin whose kernels compute the chunks. The bytes are the same with every backend. This parameter is allowed only "
          "if the scalar code computes byte by byte in GF(2^8). The default is the plugin of scalar_mds. If that plugin has no "
          "kernels that take a matrix as an argument, the default is jerasure. Ceph has no such parameter")};
}

void check_sub_chunks(const Profile& profile, int q, int groups) {
  long count = 1;
  for (int group = 0; group < groups && count <= sub_chunk_limit; group++) count *= q;
  if (count <= sub_chunk_limit) return;
  refuse(profile, "d",
         "a d for which (d-k+1)^((k+m)/(d-k+1)), with the exponent rounded up, is at most " + std::to_string(sub_chunk_limit),
         "with d=" + profile.text("d") + ", a chunk would have " + std::to_string(q) + "^" + std::to_string(groups) +
             " sub-chunks of at least 32 bytes, so an object of usual size would not fill the chunks");
}

/// With d = k+m-1 by default. Refuses d, and numbers of nodes or sub-chunks that are not allowed.
Profile checked(const Profile& given) {
  Profile profile = given;
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  if (profile.text("d").empty()) profile.set("d", std::to_string(k + m - 1));
  const int d = profile.integer("d");
  if (d < k || d > k + m - 1) {
    refuse(profile, "d", std::to_string(k) + " to " + std::to_string(k + m - 1) + " (k to k+m-1)",
           "fewer than k chunks do not determine the lost chunk, and only k+m-1 other chunks exist");
  }
  const int q = d - k + 1;
  const int nodes = k + m + Geometry::virtual_count(k, m, d);
  if (nodes > node_limit) {
    refuse(
        profile, "k",
        "a k for which k+m, rounded up to a multiple of d-k+1=" + std::to_string(q) + ", is at most " + std::to_string(node_limit),
        "Ceph has this limit for the number of chunks of the scalar code");
  }
  check_sub_chunks(profile, q, nodes / q);
  return profile;
}

std::string scalar_technique(const Profile& profile) {
  const std::string given = profile.text("technique");
  if (!given.empty()) return given;
  const std::string plugin = profile.text("scalar_mds");
  if (plugin == "jerasure") return "reed_sol_van";
  return plugin == "shec" ? "single" : "";
}

[[noreturn]] void refuse_scalar(const Profile& profile, const std::string& why) {
  throw Error("scalar_mds=" + profile.text("scalar_mds") + " is not allowed with these parameters: " + why);
}

/// k+m chunks of plugin scalar_mds. Throws Error if it cannot make a suitable code.
std::unique_ptr<ErasureCode> scalar_code(const Profile& profile, int k, int m, Plugins& others) {
  const std::string shape = std::to_string(k) + "+" + std::to_string(m);
  Profile scalar({{"k", std::to_string(k)}, {"m", std::to_string(m)}});
  const std::string technique = scalar_technique(profile);
  if (!technique.empty()) scalar.set("technique", technique);
  if (profile.text("scalar_mds") == "shec") scalar.set("c", "2");
  std::unique_ptr<ErasureCode> code;
  try {
    code = others.code(profile.text("scalar_mds"), scalar);
  } catch (const Error& error) {
    const std::string why = error.what();
    if (why.starts_with("--dispatch ") || (!technique.empty() && why.starts_with("technique=" + technique + " "))) throw;
    refuse_scalar(profile, "its " + shape + " code cannot be made: " + why);
  }
  if (code->data_chunk_count() != k || code->coding_chunk_count() != m) {
    refuse_scalar(profile, "it makes a code of " + std::to_string(code->data_chunk_count()) + "+" +
                               std::to_string(code->coding_chunk_count()) + " chunks, but " + shape + " chunks are needed");
  }
  if (code->sub_chunk_count() > 1) refuse_scalar(profile, "the chunks of its code have sub-chunks");
  if (!code->is_in_order()) refuse_scalar(profile, "the coding chunks of its code are not after the data chunks");
  return code;
}

/// With the kernels of backend, otherwise of scalar_mds, or of jerasure if that has none for products.
ProductMaker chosen_products(const Profile& profile, Plugins& others) {
  const std::string backend = profile.text("backend");
  const std::string plugin = backend.empty() ? profile.text("scalar_mds") : backend;
  try {
    return others.products(plugin);
  } catch (const Error& error) {
    if (backend.empty()) return others.products(default_backend);
    const std::string why = error.what();
    if (why.starts_with("backend=")) throw;
    throw Error("backend=" + backend + " is not allowed: " + why);
  }
}

ScalarCode computed(std::unique_ptr<ErasureCode> code, const std::optional<Matrix>& matrix, const Profile& profile,
                    Plugins& others) {
  if (matrix) return {std::move(code), *matrix, chosen_products(profile, others)};
  return ScalarCode(std::move(code));
}

/// Throws Error unless both pad to the same unit, a multiple of `alignment`, so that every sub-chunk is aligned.
void check_units(const Profile& profile, const ErasureCode& scalar, const ErasureCode& pair, std::size_t alignment) {
  const std::size_t of_scalar = scalar.chunk_size(1);
  const std::size_t of_pair = pair.chunk_size(1);
  if (of_scalar == of_pair && of_pair % alignment == 0) return;
  const std::string shape = std::to_string(scalar.data_chunk_count()) + "+" + std::to_string(scalar.coding_chunk_count());
  refuse_scalar(profile, "its " + shape + " code pads chunks to a multiple of " + std::to_string(of_scalar) +
                             " bytes, and its 2+2 code to a multiple of " + std::to_string(of_pair) +
                             " bytes; these two numbers must be equal, and each must be a multiple of " +
                             std::to_string(alignment));
}

std::unique_ptr<ErasureCode> make(const Profile& given, const Context& context) {
  const Profile profile = checked(given);
  const int m = profile.integer("m");
  const Geometry geometry(profile.integer("k"), m, profile.integer("d"));
  std::unique_ptr<ErasureCode> scalar = scalar_code(profile, geometry.node_count() - m, m, context.others);
  std::unique_ptr<ErasureCode> pair = scalar_code(profile, 2, 2, context.others);
  std::optional<Matrix> scalar_matrix = bytewise_matrix(*scalar);
  std::optional<Matrix> pair_matrix = bytewise_matrix(*pair);
  const bool are_bytewise = scalar_matrix && pair_matrix;
  if (!are_bytewise) {
    if (!profile.text("backend").empty()) {
      throw Error("backend=" + profile.text("backend") + " is not allowed: this technique of " + profile.text("scalar_mds") +
                  " does not compute byte by byte, so only the kernels of plugin " + profile.text("scalar_mds") +
                  " can compute the chunks; leave backend out");
    }
    scalar_matrix.reset();
    pair_matrix.reset();
  }
  check_units(profile, *scalar, *pair, are_bytewise ? kernel_alignment : chunk_alignment_bytes);
  const std::size_t unit = pair->chunk_size(1);
  const bool keeps_plans = info_of(*scalar).keeps_plans_in_ceph();
  ClayDesign design{.geometry = geometry,
                    .data_chunk_count = profile.integer("k"),
                    .helper_count = profile.integer("d"),
                    .sub_chunk_unit = unit,
                    .keeps_plans_in_ceph = keeps_plans,
                    .scalar = computed(std::move(scalar), scalar_matrix, profile, context.others),
                    .pair = computed(std::move(pair), pair_matrix, profile, context.others)};
  try {
    return std::make_unique<ClayCode>(std::move(design));
  } catch (const Error& error) {
    refuse_scalar(profile, error.what());
  }
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "clay",
      .summary = "coupled-layer codes: one lost chunk is repaired from parts of d other chunks",
      .techniques = {{.summary = "coupled layers of a scalar code. The stored size and the recoverable losses are those of the "
                                 "scalar code, but the repair of one lost chunk reads d/(d-k+1) chunks instead of k",
                      .parameters = parameters(),
                      .make = make}},
      .dispatch_levels = every_dispatch_level()};
  return plugin;
}

}  // namespace
}  // namespace ecbench::clay

ECBENCH_PLUGIN(ecbench::clay::plugin())
