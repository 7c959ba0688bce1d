#include <bit>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>

#include "benchmark/erasures/erasures.h"
#include "benchmark/objects/encoded_object.h"
#include "cli/commands.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_losses = 1'000'000;
constexpr std::size_t most_csum_block = 1 << 20;

/// What is read, or why the lost chunks cannot be rebuilt.
struct Answer {
  Positions erased;
  ReadSet reads;
  std::string unrecoverable;
};

Answer answer_of(const ErasureCode& code, const Positions& erased) {
  try {
    return {erased, reads_for(code, erased), ""};
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return {erased, {}, error.what()};
  }
}

/// The same in all answers of one call.
struct Layout {
  int sub_chunk_count = 1;
  std::uint64_t stripe_chunk_bytes = 0;  // bytes of a chunk in one stripe
  std::uint64_t block_bytes = 0;         // bytes of a checksum block
};

ReadCost cost_of(const Answer& answer, const Layout& layout) {
  return read_cost(answer.reads, layout.sub_chunk_count, answer.erased);
}

BlockReads blocks_of(const Answer& answer, const Layout& layout) {
  return block_reads(answer.reads, layout.sub_chunk_count, layout.stripe_chunk_bytes, layout.block_bytes);
}

/// "1 2", or with sub-chunks "1[0-3,8-11] 2[0-3]".
std::string reads_text(const ReadSet& reads, int sub_chunk_count) {
  std::string text;
  for (const auto& [position, runs] : reads) {
    text += (text.empty() ? "" : " ") + std::to_string(position);
    if (runs.size() == 1 && runs.front().count == sub_chunk_count) continue;
    std::string parts;
    for (const SubChunkRun& run : runs) {
      parts += (parts.empty() ? "" : ",") + std::to_string(run.first);
      if (run.count > 1) parts += "-" + std::to_string(run.first + run.count - 1);
    }
    text += "[" + parts + "]";
  }
  return text;
}

void print_row(const Answer& answer, const Layout& layout, std::ostream& out) {
  out << std::left << std::setw(11) << joined(answer.erased, ",") << ' ';
  if (!answer.unrecoverable.empty()) {
    out << answer.unrecoverable << '\n';
    return;
  }
  const ReadCost cost = cost_of(answer, layout);
  out << std::setw(8) << std::lround(cost.chunks_read) << std::fixed << std::setprecision(3) << std::setw(8) << cost.drive_factor
      << std::setw(8) << blocks_of(answer, layout).factor << std::setw(9) << cost.network_factor << std::setw(10)
      << std::setprecision(1) << cost.reads_per_helper << reads_text(answer.reads, layout.sub_chunk_count) << '\n';
}

void print_line(const Answer& answer, const Layout& layout, std::ostream& out) {
  Json json{{"erased", answer.erased}};
  if (answer.unrecoverable.empty()) {
    json["reads"] = reads_json(answer.reads);
    json["sub_chunk_count"] = layout.sub_chunk_count;
    json.update(read_cost_json(cost_of(answer, layout)));
    const BlockReads blocks = blocks_of(answer, layout);
    json["block_factor"] = blocks.factor;
    json["block_reads_per_helper"] = blocks.reads_per_helper;
  } else {
    json["unrecoverable"] = answer.unrecoverable;
  }
  out << on_one_line(json) << '\n';
}

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

/// In lexicographic order. As JSON, a line is src/report/reads.schema.json. If the code cannot rebuild the lost chunks, the line
/// contains the reason.
void print_reads(const Point& point, std::size_t block_bytes, Registry& registry, bool is_json, std::ostream& out) {
  Profile profile = point.profile;
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, profile, limits_of(point));
  check_lost(point, code->chunk_count());
  const Layout layout{code->sub_chunk_count(), stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes), block_bytes};
  if (!is_json) {
    if (layout.sub_chunk_count > 1) {
      out << "a chunk has " << layout.sub_chunk_count << " sub-chunks; " << layout.stripe_chunk_bytes
          << " bytes of a chunk are in one stripe\n";
    }
    out << "lost        chunks  drive   blocks  network  runs      reads\n";
  }
  Positions erased = point.erased;
  if (erased.empty()) {
    erased.resize(static_cast<std::size_t>(point.erasures));
    std::iota(erased.begin(), erased.end(), 0);
  }
  do {
    const Answer answer = answer_of(*code, erased);
    (is_json ? print_line : print_row)(answer, layout, out);
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
