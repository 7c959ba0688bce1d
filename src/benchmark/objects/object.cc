#include "benchmark/objects/object.h"

#include <dlfcn.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/error.h"

namespace ecbench {

std::vector<std::uint8_t> random_object(std::size_t size_bytes, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(size_bytes);
  populate(bytes.data(), size_bytes);
  bytes.resize(size_bytes);
  for (std::size_t offset = 0; offset < size_bytes; offset += sizeof(std::uint64_t)) {
    const std::uint64_t word = engine();
    std::memcpy(bytes.data() + offset, &word, std::min(sizeof(word), size_bytes - offset));
  }
  return bytes;
}

std::vector<std::uint8_t> object_from_file(const std::string& file, std::size_t size_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw Error("cannot read --input " + file + ": it is a directory; give a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
  if (!stream) throw Error("cannot read --input " + file + ": " + std::strerror(errno));
  std::vector<std::uint8_t> bytes;
  std::error_code not_a_file;
  const std::size_t expected = size_bytes != 0 ? size_bytes : std::filesystem::file_size(file, not_a_file);
  if (!not_a_file) bytes.reserve(expected + 1);
  const std::size_t most = available_memory_bytes() / 4;  // chunks and their copies take several times the object's size
  const std::size_t block = std::size_t{1} << 20;
  for (;;) {
    if (size_bytes == 0 && bytes.size() > most) {
      throw Error("--input " + file + " is too long or endless: it has more than " + std::to_string(most) +
                  " bytes, which is a quarter of the available memory; with --size, give the number of bytes to read");
    }
    const std::size_t wanted = size_bytes == 0 ? block : std::min(block, size_bytes - bytes.size());
    if (wanted == 0) return bytes;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + wanted);
    const std::size_t got = std::fread(bytes.data() + begin, 1, wanted, stream.get());
    bytes.resize(begin + got);
    if (got < wanted) break;
  }
  if (std::ferror(stream.get())) throw Error("cannot read --input " + file + ": " + std::strerror(errno));
  if (bytes.empty()) throw Error("--input " + file + " is empty: give a file with at least one byte");
  if (bytes.size() < size_bytes) {
    throw Error("--input " + file + " has " + std::to_string(bytes.size()) + " bytes, fewer than --size " +
                std::to_string(size_bytes) + "; give a smaller --size or a longer file");
  }
  return bytes;
}

namespace {

// crc32_iscsi() of isa-l/crc.h. The program does not link libisal, because --codec-lib may load another one.
using CrcIscsi = unsigned int (*)(unsigned char* buffer, int size, unsigned int start);
CrcIscsi crc32_iscsi = nullptr;

std::uint32_t by_isal(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;  // the function takes the size as an int
  unsigned int crc = ~0U;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), most_bytes));
    crc = crc32_iscsi(const_cast<unsigned char*>(part.data()), static_cast<int>(part.size()), crc);
    bytes = bytes.subspan(part.size());
  }
  return ~crc;
}

}  // namespace

Crc32c isal_crc32c() {
  void* library = nullptr;
  for (const char* name : {"libisal.so.2", ECBENCH_LIBISAL}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library != nullptr) crc32_iscsi = reinterpret_cast<CrcIscsi>(dlsym(library, "crc32_iscsi"));
  return crc32_iscsi == nullptr ? nullptr : by_isal;
}

std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace ecbench
