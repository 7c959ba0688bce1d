#include "benchmark/objects/crc32c.h"

#include <dlfcn.h>

#include <algorithm>
#include <boost/crc.hpp>

#include "erasure_code/error.h"

namespace ecbench {
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
  if (crc32_iscsi == nullptr) {
    throw Error(
        "--workload scrub needs libisal.so.2 with the function crc32_iscsi, but this library was not found: install the package "
        "libisal2");
  }
  return by_isal;
}

std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace ecbench
