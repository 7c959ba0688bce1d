#include "benchmark/buffers/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "benchmark/environment/cgroup.h"
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

}  // namespace ecbench
