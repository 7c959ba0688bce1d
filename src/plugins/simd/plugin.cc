// The plugin `simd`: Reed-Solomon and packet codes with the bytes of isa and jerasure, computed by ecbench's own kernels.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/jerasure_techniques.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/kernel.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"

namespace ecbench::simd {
namespace {

constexpr std::size_t usual_multiple = 32;
constexpr std::size_t per_chunk_multiple = 128;
constexpr std::size_t klauspost_multiple = 64;

Parameter data_chunks() {
  return number_parameter("k", "7", 2, chunk_count_limit - 1, "k+m is at most 256, and k=1 would be replication", "data chunks");
}

Parameter coding_chunks() {
  return number_parameter("m", "3", 1, chunk_count_limit - 2,
                          "k+m is at most 256, and without coding chunks, no lost chunk can be rebuilt", "coding chunks");
}

Parameter word_size() {
  return {.name = "w",
          .default_value = "8",
          .choices = {8},
          .why = "the kernels of plugin simd compute only in GF(2^8); for other w, use plugin jerasure",
          .meaning = "bits of a field element"};
}

Parameter per_chunk_alignment() {
  return {
      .name = "jerasure-per-chunk-alignment",
      .type = Parameter::Type::flag,
      .default_value = "false",
      .meaning = "with matrix=jerasure: pad each chunk to a multiple of 128 bytes, as plugin jerasure does with this parameter"};
}

const std::string store_meaning =
    "how computed chunks are written. temporal: through the caches. streaming: stores bypass the caches; select this value only if "
    "the chunks are not read soon. auto: streaming if the chunks that a call reads and writes are together larger than the L2 "
    "cache of a core, otherwise temporal. On CPUs that are not from Intel, auto has a second condition for streaming: the call "
    "writes only one chunk";

const std::string transform_meaning =
    "how chunks are computed. direct: by multiplications. fft: by an additive FFT. Both ways compute the same bytes. auto: the "
    "faster way; for decodes, fft only if many chunks are lost";

StorePolicy store_policy(const Profile& profile) {
  const std::string store = profile.text("store");
  if (store == "temporal") return StorePolicy::temporal;
  if (store == "streaming") return StorePolicy::streaming;
  if (store != "auto") refuse(profile, "store", "auto, temporal or streaming", "other values have no meaning");
  return StorePolicy::automatic;
}

TransformPolicy transform_policy(const Profile& profile, PointCode points) {
  const std::string transform = profile.text("transform");
  if (transform == "auto") return TransformPolicy::automatic;
  if (transform == "direct") return TransformPolicy::direct;
  if (transform != "fft") refuse(profile, "transform", "auto, direct or fft", "other values have no meaning");
  if (usable_layers(points, profile.integer("k"), profile.integer("m")).empty()) {
    refuse(profile, "transform", "auto or direct", "an FFT needs m >= 2, and an even k except for leopard_gf8");
  }
  return TransformPolicy::fft;
}

void check_count(const Profile& profile) {
  if (profile.integer("k") + profile.integer("m") <= chunk_count_limit) return;
  refuse(profile, "k", "at most " + std::to_string(chunk_count_limit - profile.integer("m")),
         "m is " + profile.text("m") + " and k+m must be at most " + std::to_string(chunk_count_limit) +
             ": each chunk needs its own element of GF(2^8), which has only 256 elements");
}

void check_isa_vandermonde(const Profile& profile) {
  if (is_isa_vandermonde_mds(profile.integer("k"), profile.integer("m"))) return;
  refuse(profile, "m",
         "m <= 3 (or m <= 4 if k <= 21, m <= 5 if k <= 5, m <= 21 if k = 4, any m if k <= 3; here k=" + profile.text("k") + ")",
         "with a larger m, ISA-L's Vandermonde matrix cannot recover every loss of m chunks (technique=cauchy and matrix=jerasure "
         "can)");
}

std::unique_ptr<ErasureCode> make_code(const Profile& profile, const Context& context, Matrix matrix, std::size_t multiple,
                                       PointCode points = PointCode::none, bool is_cauchy = false) {
  return make_rs_code(Design{.shape = mapped_shape(profile),
                             .coding_rows = std::move(matrix),
                             .is_cauchy = is_cauchy,
                             .points = points,
                             .transform = points == PointCode::none ? TransformPolicy::direct : transform_policy(profile, points),
                             .chunk_multiple = multiple,
                             .store = store_policy(profile),
                             .kernel = &kernel_of(context.dispatch)});
}

std::unique_ptr<ErasureCode> make_reed_sol_van(const Profile& profile, const Context& context) {
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  check_count(profile);
  const std::string matrix = profile.text("matrix");
  if (matrix == "jerasure") {
    const std::size_t multiple = profile.flag("jerasure-per-chunk-alignment") ? per_chunk_multiple : usual_multiple;
    return make_code(profile, context, vandermonde_coding_matrix(GaloisField(8), k, m), multiple);
  }
  if (matrix != "isa")
    refuse(profile, "matrix", "isa or jerasure", "the value is the name of the plugin that computes the same bytes");
  if (profile.flag("jerasure-per-chunk-alignment")) {
    refuse(profile, "jerasure-per-chunk-alignment", "false or matrix=jerasure", "plugin isa does not have this parameter");
  }
  check_isa_vandermonde(profile);
  return make_code(profile, context, isa_vandermonde(k, m), usual_multiple);
}

std::unique_ptr<ErasureCode> make_cauchy(const Profile& profile, const Context& context) {
  check_count(profile);
  if (profile.text("matrix") != "isa") {
    refuse(profile, "matrix", "isa",
           "jerasure's Cauchy codes work on packets, not on bytes; for these codes, use technique=cauchy_orig or cauchy_good");
  }
  const int m = profile.integer("m");
  return make_code(profile, context, isa_cauchy(profile.integer("k"), m), usual_multiple, PointCode::cauchy, m > 1);
}

std::unique_ptr<ErasureCode> make_vandermonde(const Profile& profile, const Context& context) {
  check_count(profile);
  const Matrix rows = coding_rows(PointCode::vandermonde, profile.integer("k"), profile.integer("m"));
  return make_code(profile, context, rows, klauspost_multiple, PointCode::vandermonde);
}

std::unique_ptr<ErasureCode> make_leopard_gf8(const Profile& profile, const Context& context) {
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  if (!has_points(PointCode::leopard, k, m)) {
    const int group = leopard_group(m);
    refuse(profile, "k", "at most " + std::to_string(chunk_count_limit / group * group - group),
           "m is " + profile.text("m") +
               ": with m rounded up to a power of two and k rounded up to a multiple of it, the sum must be at most " +
               std::to_string(chunk_count_limit));
  }
  return make_code(profile, context, coding_rows(PointCode::leopard, k, m), klauspost_multiple, PointCode::leopard);
}

std::unique_ptr<ErasureCode> make_reed_sol_r6_op(const Profile& profile, const Context& context) {
  check_count(profile);
  if (profile.text("matrix") != "jerasure") refuse(profile, "matrix", "jerasure", "reed_sol_r6_op is a technique of jerasure");
  return make_code(profile, context, isa_vandermonde(profile.integer("k"), 2), usual_multiple);
}

const Plugin& plugin() {
  const Parameter store = text_parameter("store", "auto", store_meaning);
  const Parameter two_coding_chunks = number_parameter("m", "2", 2, 2, "RAID-6 has two coding chunks", "coding chunks");
  const Parameter transform = text_parameter("transform", "auto", transform_meaning);
  Parameter data_chunks_of_klauspost = data_chunks();
  data_chunks_of_klauspost.minimum = 1;
  data_chunks_of_klauspost.why = "k+m is at most 256";
  static const Plugin plugin{
      .name = "simd",
      .summary = "Reed-Solomon and packet codes of isa and jerasure (the same bytes), computed by ecbench's own kernels",
      .default_technique = "reed_sol_van",
      .techniques =
          {{.name = "reed_sol_van",
            .summary = "a code from the Vandermonde matrix of isa or of jerasure",
            .parameters =
                {data_chunks(), coding_chunks(),
                 text_parameter(
                     "matrix", "isa",
                     "isa: the same bytes, chunk sizes and padding as plugin isa. jerasure: the same as plugin jerasure with w=8"),
                 word_size(), per_chunk_alignment(), store, mapping_parameter()},
            .make = make_reed_sol_van},
           {.name = "cauchy",
            .summary = "a code from the Cauchy matrix of isa",
            .parameters = {data_chunks(), coding_chunks(), text_parameter("matrix", "isa", "isa: the same bytes as plugin isa"),
                           transform, store, mapping_parameter()},
            .make = make_cauchy},
           {.name = "vandermonde",
            .summary = "the code of klauspost/reedsolomon (its default) and of rs-erasure: Backblaze's Vandermonde matrix, made "
                       "systematic",
            .parameters = {data_chunks_of_klauspost, coding_chunks(), transform, store, mapping_parameter()},
            .make = make_vandermonde},
           {.name = "leopard_gf8",
            .summary = "Leopard's code over GF(2^8), as in klauspost/reedsolomon",
            .parameters = {data_chunks_of_klauspost, coding_chunks(), transform, store, mapping_parameter()},
            .make = make_leopard_gf8},
           {.name = "reed_sol_r6_op",
            .summary = "the coding chunks P and Q of RAID-6, as in jerasure",
            .parameters = {data_chunks(), two_coding_chunks,
                           text_parameter("matrix", "jerasure", "jerasure: the same bytes as plugin jerasure with w=8"),
                           word_size(), store, mapping_parameter()},
            .make = make_reed_sol_r6_op}},
      .dispatch_levels = dispatch_levels(),
      .products = product_maker,
  };
  return plugin;
}

/// plugin() with jerasure's packet codes, which use the kernel of the context's dispatch level.
const Plugin& plugin_with_packet_codes() {
  static const Plugin whole = [] {
    Plugin result = plugin();
    const auto make = [](jerasure::PacketMatrix matrix, const jerasure::PacketLayout& layout, const Context& context) {
      return make_packet_code(matrix, layout, xor_kernel_of(kernel_of(context.dispatch).level));
    };
    for (Technique& technique : jerasure::packet_techniques(make)) result.techniques.push_back(std::move(technique));
    return result;
  }();
  return whole;
}

}  // namespace
}  // namespace ecbench::simd

ECBENCH_PLUGIN(ecbench::simd::plugin_with_packet_codes())
