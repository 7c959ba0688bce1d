#include "benchmark/buffers/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "benchmark/buffers/memory.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

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

}  // namespace

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

Arena::~Arena() {
  munmap(memory_, size_bytes_);
}

std::uint8_t* Arena::take(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes, page_bytes);
  if (rounded > size_bytes_ - taken_bytes_) throw Error("the arena is too small for the chunks");
  std::uint8_t* piece = memory_ + taken_bytes_;
  taken_bytes_ += rounded;
  return piece;
}

}  // namespace ecbench
