#include "benchmark/mixed/read_job.h"

#include <algorithm>
#include <cstring>

namespace ecbench {

ReadJob::ReadJob(const EncodedObject& truth, const std::vector<std::shared_ptr<const DecodePlan>>& plans, std::size_t objects)
    : truth_(truth) {
  const std::span<const int> data = truth.code().data_positions();
  for (std::size_t i = 0; i < objects; i++) {
    Read& read = reads_.emplace_back();
    read.object = std::make_unique<EncodedObject>(truth);
    read.plan = plans[i % plans.size()];
    read.reply = std::make_unique<ChunkBuffers>(truth.code().data_chunk_count(), truth.chunks().chunk_size_bytes());
    if (read.plan == nullptr) continue;
    const int lost = read.plan->erased.front();
    read.object->poison({lost});
    const auto number = static_cast<int>(std::ranges::find(data, lost) - data.begin());
    for (std::size_t stripe = 0; stripe < truth.stripe_count(); stripe++) {
      std::vector<std::uint8_t*>& chunks = read.stripes.emplace_back(read.object->stripes()[stripe].chunks);
      chunks[static_cast<std::size_t>(lost)] = (*read.reply)[number] + stripe * truth.chunk_size_bytes();
    }
  }
}

std::size_t ReadJob::object_bytes(const EncodedObject& truth) {
  return truth.footprint_bytes() + ChunkBuffers::memory_bytes(truth.code().data_chunk_count(), truth.chunks().chunk_size_bytes());
}

void ReadJob::run(std::size_t object) {
  const Read& read = reads_[object];
  const ErasureCode& code = truth_.code();
  for (const std::vector<std::uint8_t*>& chunks : read.stripes) code.decode(*read.plan, chunks, truth_.chunk_size_bytes());
  const int lost = read.plan == nullptr ? -1 : read.plan->erased.front();
  for (int number = 0; number < code.data_chunk_count(); number++) {
    const int position = code.data_positions()[static_cast<std::size_t>(number)];
    if (position == lost) continue;
    std::memcpy((*read.reply)[number], read.object->chunks()[position], read.reply->chunk_size_bytes());
  }
}

void ReadJob::poison(std::size_t object) {
  const ErasureCode& code = truth_.code();
  for (int number = 0; number < code.data_chunk_count(); number++) {
    const int position = code.data_positions()[static_cast<std::size_t>(number)];
    std::ranges::transform(truth_.chunks().bytes(position), (*reads_[object].reply)[number],
                           [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  }
}

void ReadJob::check(std::size_t object) {
  const Read& read = reads_[object];
  const ErasureCode& code = truth_.code();
  const char* what = read.plan == nullptr ? "reading" : "a degraded read";
  for (int number = 0; number < code.data_chunk_count(); number++) {
    const int position = code.data_positions()[static_cast<std::size_t>(number)];
    for (std::size_t stripe = 0; stripe < truth_.stripe_count(); stripe++) {
      const std::size_t size = truth_.chunk_size_bytes();
      truth_.check_chunk(position, stripe, read.reply->bytes(number).subspan(stripe * size, size), what);
    }
  }
}

}  // namespace ecbench
