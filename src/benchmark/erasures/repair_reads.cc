#include "benchmark/erasures/repair_reads.h"

#include <algorithm>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// All chunks except `erased`.
Positions left_of(const ErasureCode& code, const Positions& erased) {
  Positions left;
  Positions sorted = erased;
  std::ranges::sort(sorted);
  for (int position = 0; position < code.chunk_count(); position++) {
    if (!std::ranges::binary_search(sorted, position)) left.push_back(position);
  }
  return left;
}

bool can_be_read(const std::vector<SubChunkRun>& runs, int sub_chunk_count) {
  int end = 0;
  for (const SubChunkRun& run : runs) {
    if (run.first < end || run.count < 1 || run.count > sub_chunk_count - run.first) return false;
    end = run.first + run.count;
  }
  return !runs.empty();
}

/// The number of reads that are needed for the sub-chunks in `runs`. Adjacent runs count as one read.
int contiguous_reads(const std::vector<SubChunkRun>& runs) {
  int count = 0;
  int end = -1;
  for (const SubChunkRun& run : runs) {
    count += run.first != end;
    end = run.first + run.count;
  }
  return count;
}

}  // namespace

int sub_chunks_of(const std::vector<SubChunkRun>& runs) {
  int count = 0;
  for (const SubChunkRun& run : runs) count += run.count;
  return count;
}

ReadSet reads_for(const ErasureCode& code, const Positions& erased) {
  const Positions left = left_of(code, erased);
  ReadSet reads = code.minimum_to_decode(erased, left);
  for (const auto& [position, runs] : reads) {
    if (std::ranges::binary_search(left, position) && can_be_read(runs, code.sub_chunk_count())) continue;
    throw Error("the plugin failed: to rebuild lost chunks, it requests chunk " + std::to_string(position) +
                ", but this chunk is lost, or the list of its sub-chunks to read is not valid");
  }
  return reads;
}

bool reads_parts(const ReadSet& reads, int sub_chunk_count) {
  return std::ranges::any_of(reads, [&](const auto& read) { return sub_chunks_of(read.second) < sub_chunk_count; });
}

LostChunks lost_chunks(const ErasureCode& code, const Point& point) {
  LostChunks lost;
  if (!point.erased.empty()) {
    lost.chunks.push_back({point.erased.front(), reads_for(code, point.erased)});
    return lost;
  }
  for (int position = 0; position < code.chunk_count(); position++) {
    try {
      lost.chunks.push_back({position, reads_for(code, {position})});
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::unrecoverable) throw;
      lost.unrecoverable++;
    }
  }
  if (lost.chunks.empty())
    throw Error("this code cannot rebuild any of its chunks from the other chunks", Error::Kind::unrecoverable);
  return lost;
}

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, int rebuilt_chunks) {
  int read = 0;
  int requests = 0;
  for (const auto& [position, runs] : reads) {
    read += sub_chunks_of(runs);
    requests += contiguous_reads(runs);
  }
  const int own = reads.empty() ? 0 : sub_chunks_of(reads.begin()->second);
  const double helpers = std::max<double>(1, static_cast<double>(reads.size()));
  return {.chunks_read = static_cast<double>(reads.size()),
          .drive_factor = static_cast<double>(read) / sub_chunk_count,
          .network_factor = static_cast<double>(read - own) / sub_chunk_count + rebuilt_chunks,
          .reads_per_helper = requests / helpers};
}

ReadCost mean_read_cost(std::span<const ReadSet> reads, int sub_chunk_count) {
  ReadCost mean;
  for (const ReadSet& each : reads) {
    const ReadCost cost = read_cost(each, sub_chunk_count);
    mean.chunks_read += cost.chunks_read;
    mean.drive_factor += cost.drive_factor;
    mean.network_factor += cost.network_factor;
    mean.reads_per_helper += cost.reads_per_helper;
  }
  const auto count = static_cast<double>(reads.size());
  return {mean.chunks_read / count, mean.drive_factor / count, mean.network_factor / count, mean.reads_per_helper / count};
}

}  // namespace ecbench
