#include "benchmark/buffers/chunk_buffers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

#include "benchmark/environment/environment.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t kernel_available_bytes(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string key;
  std::size_t kib = 0;
  std::string rest;
  while (file >> key >> kib && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return unlimited;
}

std::string binary_size(double bytes) {
  const bool is_small = bytes < 0.1 * (1 << 30);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), is_small ? "%.1f MiB" : "%.1f GiB", bytes / (is_small ? 1 << 20 : 1 << 30));
  return text.data();
}

[[noreturn]] void refuse(int descriptor, const std::string& why) {
  throw Error("--arena " + std::to_string(descriptor) + " is not allowed: " + why +
              "; give a descriptor that was returned by memfd_create() and is inherited by this process");
}

/// Throws Error if `descriptor` is not anonymous memory.
std::size_t size_of_memory(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) refuse(descriptor, std::string("it cannot be used (") + std::strerror(errno) + ")");
  const bool has_seals = S_ISREG(status.st_mode) && fcntl(descriptor, F_GET_SEALS) >= 0;
  if (!has_seals || status.st_nlink != 0) refuse(descriptor, "it is not anonymous memory");
  return static_cast<std::size_t>(status.st_size);
}

// Small chunks share pages; otherwise most memory of a pool of small objects would be unused.
std::size_t stride_of(std::size_t chunk_size_bytes) {
  return round_up(chunk_size_bytes, chunk_size_bytes < page_bytes ? chunk_alignment_bytes : page_bytes);
}

/// A bijection of `word` for a given `digest`, and the reverse, so that a change of one word always changes the final digest.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t word) {
  digest = (digest ^ word) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio; an odd factor, so different inputs have different products
  return digest ^ (digest >> 32);
}

}  // namespace

void populate(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  const std::uintptr_t end = (begin + bytes) / page_bytes * page_bytes;
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);  // an old kernel may refuse it
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

std::size_t available_memory_bytes(const std::filesystem::path& root) {
  const std::optional<std::int64_t> of_group = read_memory_limit(root).available_bytes;
  return std::min(kernel_available_bytes(root), of_group ? static_cast<std::size_t>(*of_group) : unlimited);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void require_memory(std::size_t object_size_bytes, double needed_bytes) {
  const std::size_t available = available_memory_bytes();
  if (needed_bytes <= static_cast<double>(available)) return;
  throw Error("an object of " + std::to_string(object_size_bytes) + " bytes needs " + binary_size(needed_bytes) +
              " for its chunks and their copies, but only " + binary_size(static_cast<double>(available)) +
              " are available: give a smaller --size");
}

Arena::Arena(int descriptor, std::size_t bytes) : size_bytes_(round_up(bytes, page_bytes) + page_bytes), taken_bytes_(page_bytes) {
  if (size_of_memory(descriptor) < size_bytes_ && ftruncate(descriptor, static_cast<off_t>(size_bytes_)) != 0) {
    refuse(descriptor, "its memory cannot be enlarged to " + std::to_string(size_bytes_) + " bytes (" + std::strerror(errno) + ")");
  }
  // No page fault during a measurement.
  void* memory = mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    refuse(descriptor, std::to_string(size_bytes_) + " bytes of its memory cannot be mapped (" + std::strerror(errno) + ")");
  }
  memory_ = static_cast<std::uint8_t*>(memory);
  made_before_ = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_)).fetch_add(1);
}

Arena::~Arena() { munmap(memory_, size_bytes_); }

std::uint8_t* Arena::take(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes, page_bytes);
  if (rounded > size_bytes_ - taken_bytes_) throw Error("the arena is too small for the chunks");
  std::uint8_t* piece = memory_ + taken_bytes_;
  taken_bytes_ += rounded;
  return piece;
}

void ChunkBuffers::Free::operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{page_bytes}); }

std::size_t ChunkBuffers::memory_bytes(int count, std::size_t chunk_size_bytes) {
  return round_up(stride_of(chunk_size_bytes) * static_cast<std::size_t>(count), page_bytes);
}

std::uint8_t* ChunkBuffers::zeroed_memory(int count, std::size_t chunk_size_bytes) {
  const std::size_t total = memory_bytes(count, chunk_size_bytes);
  try {
    auto* memory = new (std::align_val_t{page_bytes}) std::uint8_t[total];
    populate(memory, total);
    std::memset(memory, 0, total);
    return memory;
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory for " + std::to_string(count) + " chunks of " + std::to_string(chunk_size_bytes) +
                " bytes: give a smaller --size or --pool");
  }
}

ChunkBuffers::ChunkBuffers(int count, std::size_t chunk_size_bytes) : ChunkBuffers(count, chunk_size_bytes, nullptr) {}

ChunkBuffers::ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena, int extra)
    : count_(count), chunk_size_bytes_(chunk_size_bytes) {
  const int buffers = count + extra;
  if (arena == nullptr) memory_.reset(zeroed_memory(buffers, chunk_size_bytes));
  std::uint8_t* first = arena == nullptr ? memory_.get() : arena->take(memory_bytes(buffers, chunk_size_bytes));
  for (int i = 0; i < buffers; i++) chunks_.push_back(first + stride_of(chunk_size_bytes) * static_cast<std::size_t>(i));
}

std::uint64_t bytes_digest(std::span<const std::uint8_t> bytes, std::uint64_t digest) {
  digest = mixed(digest, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(sizeof(word), bytes.size());
    std::memcpy(&word, bytes.data(), size);
    digest = mixed(digest, word);
    bytes = bytes.subspan(size);
  }
  return digest;
}

std::string chunks_digest(const ChunkBuffers& chunks) {
  std::uint64_t digest = 0;
  for (int position = 0; position < chunks.count(); position++) digest = bytes_digest(chunks.bytes(position), digest);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(digest));
  return text.data();
}

}  // namespace ecbench
