#include "cli/show_reads.h"

#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "benchmark/erasures/erasure_patterns.h"
#include "benchmark/erasures/repair_reads.h"
#include "benchmark/objects/encoded_object.h"
#include "cli/run.h"
#include "erasure_code/error.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_losses = 1'000'000;

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
  std::string lost;
  for (const int position : answer.erased) lost += (lost.empty() ? "" : ",") + std::to_string(position);
  out << std::left << std::setw(11) << lost << ' ';
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
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void check_losses(const Point& point, int chunk_count) {
  check_erasures(point, chunk_count, chunk_count);
  const std::uint64_t losses = pattern_count(chunk_count, point.erasures);
  if (point.erased.empty() && losses > most_losses) {
    throw Error("--erasures " + std::to_string(point.erasures) + " is not allowed with --show-reads: there are " +
                pattern_count_text(losses) + " erasure patterns, but at most " + std::to_string(most_losses) +
                " can be listed; give a smaller number, or --erased");
  }
  if (point.erasures == 0) throw Error("--erasures 0 is not allowed with --show-reads: give at least 1 lost chunk");
}

}  // namespace

void show_reads(const Options& options, Registry& registry, std::ostream& out) {
  if (options.format != "table" && options.format != "json") {
    throw Error("--format " + options.format + " is not allowed with --show-reads: give table or json");
  }
  const Point& point = options.point;
  Profile profile = point.profile;
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, profile, limits_of(point));
  check_losses(point, code->chunk_count());
  const bool is_json = options.format == "json";
  const Layout layout{code->sub_chunk_count(), stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes),
                      options.csum_block};
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

}  // namespace ecbench
