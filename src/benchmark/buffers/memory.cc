#include "benchmark/buffers/memory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t kernel_available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kib = 0;
  std::string rest;
  while (file >> key >> kib && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return unlimited;
}

std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : unlimited;  // no limit if the file contains "max" or does not exist
}

std::size_t control_group_available_bytes() {
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::size_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == unlimited || used == unlimited) return unlimited;
  return limit > used ? limit - used : 0;
}

std::string gib(double bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f GiB", bytes / (1 << 30));
  return text.data();
}

}  // namespace

std::size_t available_memory_bytes() {
  return std::min(kernel_available_bytes(), control_group_available_bytes());
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
  throw Error("an object of " + std::to_string(object_size_bytes) + " bytes needs " + gib(needed_bytes) +
              " for its chunks and their copies, but only " + gib(static_cast<double>(available)) +
              " are available: give a smaller --size");
}

}  // namespace ecbench
