#include "benchmark/erasures/repair_reads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

bool can_be_read(const std::vector<SubChunkRun>& runs, int sub_chunk_count) {
  int end = 0;
  for (const SubChunkRun& run : runs) {
    if (run.first < end || run.count < 1 || run.count > sub_chunk_count - run.first) return false;
    end = run.first + run.count;
  }
  return !runs.empty();
}

/// Adjacent runs are one read.
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
  Positions sorted = erased;
  std::ranges::sort(sorted);
  const Positions left = all_but(sorted, code.chunk_count());
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
    if (!recovers([&] { lost.chunks.push_back({position, reads_for(code, {position})}); })) lost.unrecoverable++;
  }
  if (lost.chunks.empty())
    throw Error("this code cannot rebuild any of its chunks from the other chunks", Error::Kind::unrecoverable);
  return lost;
}

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, const Positions& erased) {
  int read = 0;
  int requests = 0;
  for (const auto& [position, runs] : reads) {
    read += sub_chunks_of(runs);
    requests += contiguous_reads(runs);
  }
  int primary = 0;
  while (std::ranges::count(erased, primary) > 0) primary++;
  const auto own = reads.find(primary);
  const int received = read - (own == reads.end() ? 0 : sub_chunks_of(own->second));
  const double helpers = std::max<double>(1, static_cast<double>(reads.size()));
  return {.chunks_read = static_cast<double>(reads.size()),
          .drive_factor = static_cast<double>(read) / sub_chunk_count,
          .network_factor = static_cast<double>(received) / sub_chunk_count + static_cast<double>(erased.size()),
          .reads_per_helper = requests / helpers};
}

BlockReads block_reads(const ReadSet& reads, int sub_chunk_count, std::uint64_t stripe_chunk_bytes, std::uint64_t block_bytes) {
  // After these stripes, the positions of blocks repeat.
  const std::uint64_t stripes = block_bytes / std::gcd(stripe_chunk_bytes, block_bytes);
  const std::uint64_t blocks = stripes * stripe_chunk_bytes / block_bytes;
  const double sub_chunk_bytes = static_cast<double>(stripe_chunk_bytes) / sub_chunk_count;
  std::uint64_t read = 0;
  std::uint64_t requests = 0;
  for (const auto& [position, runs] : reads) {
    std::vector<bool> is_read(blocks);
    for (std::uint64_t stripe = 0; stripe < stripes; stripe++) {
      for (const SubChunkRun& run : runs) {
        const auto begin = stripe * stripe_chunk_bytes + static_cast<std::uint64_t>(std::llround(run.first * sub_chunk_bytes));
        const auto bytes = static_cast<std::uint64_t>(std::llround(run.count * sub_chunk_bytes));
        for (std::uint64_t block = begin / block_bytes; block <= (begin + bytes - 1) / block_bytes; block++) is_read[block] = true;
      }
    }
    read += static_cast<std::uint64_t>(std::ranges::count(is_read, true));
    // Before the first block is the last one of the previous stripes.
    for (std::uint64_t block = 0; block < blocks; block++) requests += is_read[block] && !is_read[(block + blocks - 1) % blocks];
  }
  const double helpers = std::max<double>(1, static_cast<double>(reads.size()));
  return {.factor = static_cast<double>(read) / static_cast<double>(blocks),
          .reads_per_helper = static_cast<double>(requests) / static_cast<double>(stripes) / helpers};
}

ReadCost mean_read_cost(std::span<const LostChunk> repairs, int sub_chunk_count) {
  ReadCost mean;
  for (const LostChunk& each : repairs) {
    const ReadCost cost = read_cost(each.reads, sub_chunk_count, {each.position});
    mean.chunks_read += cost.chunks_read;
    mean.drive_factor += cost.drive_factor;
    mean.network_factor += cost.network_factor;
    mean.reads_per_helper += cost.reads_per_helper;
  }
  const auto count = static_cast<double>(repairs.size());
  return {mean.chunks_read / count, mean.drive_factor / count, mean.network_factor / count, mean.reads_per_helper / count};
}

}  // namespace ecbench
