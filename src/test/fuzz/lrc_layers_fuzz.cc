// Fuzzes the layers of plugin lrc: the mapping, a newline and the layers. A code must encode, and rebuild each chunk from the
// others or refuse to do so.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/fuzz/fuzz.h"

namespace {

using namespace ecbench;

constexpr std::size_t object_size = 100;
// The sum of all chunk sizes. Larger ones take more time, but do not find more bugs.
constexpr std::size_t most_bytes = 1 << 20;

class Chunks {
 public:
  Chunks(int count, std::size_t size) : size_(size) {
    for (int i = 0; i < count; i++) {
      void* memory = nullptr;  // of exactly `size` bytes, so that a sanitizer detects reads past the end
      if (posix_memalign(&memory, chunk_alignment_bytes, size) != 0) throw std::bad_alloc();
      std::uint8_t* const chunk = buffers_.emplace_back(static_cast<std::uint8_t*>(memory), std::free).get();
      for (std::size_t byte = 0; byte < size; byte++) chunk[byte] = static_cast<std::uint8_t>(byte * 31 + index(i) * 7 + 1);
      pointers_.push_back(chunk);
    }
  }

  std::span<std::uint8_t* const> pointers() const { return pointers_; }
  std::span<std::uint8_t> operator[](int position) const { return {pointers_[static_cast<std::size_t>(position)], size_}; }

 private:
  std::size_t size_;
  std::vector<std::unique_ptr<std::uint8_t, decltype(&std::free)>> buffers_;
  std::vector<std::uint8_t*> pointers_;
};

void encode(const ErasureCode& code, const Chunks& chunks, std::size_t chunk_size) {
  std::vector<const std::uint8_t*> data;
  std::vector<std::uint8_t*> coding;
  for (const int position : code.data_positions()) data.push_back(chunks[position].data());
  for (const int position : code.coding_positions()) coding.push_back(chunks[position].data());
  code.encode(data, coding, chunk_size);
}

void check_rebuilt(const ErasureCode& code, const Chunks& chunks, int lost, std::size_t chunk_size) {
  std::shared_ptr<const DecodePlan> plan;
  try {
    plan = code.plan_uncached({lost}, {lost});
  } catch (const Error& error) {
    fuzz::require_message(error);
    return;
  }
  const std::vector<std::uint8_t> truth(chunks[lost].begin(), chunks[lost].end());
  for (std::uint8_t& byte : chunks[lost]) byte = static_cast<std::uint8_t>(~byte);
  code.decode(*plan, chunks.pointers(), chunk_size);
  fuzz::require(std::ranges::equal(chunks[lost], truth), "a rebuilt chunk has its bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Registry registry(plugin_directory(), [](const std::string&) {});
  const std::string text = fuzz::text_of(data, size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  Profile profile;
  profile.set("mapping", text.substr(0, end));
  profile.set("layers", text.substr(std::min(end + 1, text.size())));
  try {
    const std::unique_ptr<ErasureCode> code = registry.make("lrc", profile);
    const std::size_t chunk_size = code->chunk_size(object_size);
    if (chunk_size > most_bytes / static_cast<std::size_t>(code->chunk_count())) return 0;
    const Chunks chunks(code->chunk_count(), chunk_size);
    encode(*code, chunks, chunk_size);
    for (int lost = 0; lost < code->chunk_count(); lost++) check_rebuilt(*code, chunks, lost, chunk_size);
  } catch (const Error& error) {
    fuzz::require_message(error);
  }
  return 0;
}
