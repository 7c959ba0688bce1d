#include <bit>
#include <iostream>
#include <numeric>

#include "cli/commands.h"
#include "erasure_code/error.h"
#include "report/json.h"

namespace ecbench {
namespace {

constexpr std::uint64_t most_losses = 1'000'000;
constexpr std::size_t most_csum_block = 1 << 20;

void check_lost(const Point& point, int chunk_count) {
  check_erasures(point, chunk_count, chunk_count);
  const std::uint64_t losses = pattern_count(chunk_count, point.erasures);
  if (point.erased.empty() && losses > most_losses) {
    throw Error("--erasures " + std::to_string(point.erasures) + " is not allowed here: there are " + pattern_count_text(losses) +
                " erasure patterns, but at most " + std::to_string(most_losses) +
                " can be listed; give a smaller number, or --erased");
  }
  if (point.erasures == 0) throw Error("--erasures 0 is not allowed: give at least 1 lost chunk");
}

std::size_t csum_block_of(const Arguments& arguments) {
  const std::string text = arguments.text("csum-block", "4096");
  const std::size_t block = parse_size("--csum-block", text);
  if (std::has_single_bit(block) && block <= most_csum_block) return block;
  throw Error("--csum-block " + text + " is not allowed: give a power of two, at most " + std::to_string(most_csum_block));
}

/// In lexicographic order; as JSON, lines of src/report/reads.schema.json. For chunks that cannot be rebuilt, the line has the
/// reason.
void print_reads(const Point& point, std::size_t block_bytes, Registry& registry, bool is_json, std::ostream& out) {
  Profile profile = point.profile;
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, profile, limits_of(point));
  check_lost(point, code->chunk_count());
  const ReadLayout layout{code->sub_chunk_count(), stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes),
                          block_bytes};
  if (!is_json) {
    if (layout.sub_chunk_count > 1) {
      out << "a chunk has " << layout.sub_chunk_count << " sub-chunks; " << layout.stripe_chunk_bytes
          << " bytes of a chunk are in one stripe\n";
    }
    out << rebuild_titles;
  }
  Positions erased = point.erased;
  if (erased.empty()) {
    erased.resize(static_cast<std::size_t>(point.erasures));
    std::iota(erased.begin(), erased.end(), 0);
  }
  do {
    const Rebuild rebuild = rebuild_of(*code, erased);
    (is_json ? print_rebuild_json : print_rebuild)(rebuild, layout, out);
  } while (point.erased.empty() && out && next_pattern(erased, code->chunk_count()));
}

}  // namespace

void add_reads_options(po::options_description& options, bool as_ceph) {
  const auto text = [] { return po::value<std::string>(); };
  add_point_options(options, as_ceph,
                    {"plugin", "parameter", "erasures", "erased", "size", "stripe-unit", "codec-lib", "dispatch"});
  options.add_options()("csum-block", text()->value_name("BYTES"), "checksum block of BlueStore (default 4096)");
  options.add_options()("format", text()->value_name("table|json"), "json: an object per line (default table)");
  add_plugin_directory(options);
}

int run_reads(const Call& call) {
  const bool as_json = is_json(call);
  const PointOptions options = take_point_options(call.arguments, call.as_ceph);
  const std::size_t block_bytes = csum_block_of(call.arguments);
  for (const std::string& warning : options.warnings) note(options.as_ceph, warning);
  Registry registry = registry_of(options.plugins);
  print_reads(options.point, block_bytes, registry, as_json, std::cout);
  return 0;
}

}  // namespace ecbench
