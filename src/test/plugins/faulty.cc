// CMakeLists.txt compiles this file once for each plugin with one fault. The macro FAULT_NAME names the fault.

#if defined(FAULT_no_entry) || defined(FAULT_no_version) || defined(FAULT_old_version)

extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {
#if defined(FAULT_no_entry)
  return "ecbench plugin contract 3";
#elif defined(FAULT_no_version)
  return nullptr;
#else
  return "ecbench plugin contract 0";
#endif
}
#ifndef FAULT_no_entry
extern "C" __attribute__((visibility("default"))) const void* ecbench_plugin() { __builtin_trap(); }
#endif

#else

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "faulty_plugin.h"

namespace {

using namespace ecbench;

#if defined(FAULT_exits_at_load) || defined(FAULT_throws_at_start)
/// Its constructor runs when ecbench loads the plugin.
struct Starting {
  Starting() {
#ifdef FAULT_exits_at_load
    std::exit(0);
#else
    throw 42;
#endif
  }
} starting;
#endif

/// encode() allocates memory, which is not allowed, runs an instruction that is invalid on every CPU, as a code that was built for
/// another CPU, does not end, crashes, throws, reads a byte outside a chunk, or uses one buffer for all threads.
class OneFault : public FaultyCode {
 public:
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
#ifdef FAULT_illegal_instruction
    __builtin_trap();
#elif defined(FAULT_hangs)
    for (;;) pause();
#elif defined(FAULT_crashes)
    raise(SIGSEGV);
#elif defined(FAULT_throws_in_encode)
    throw std::runtime_error("field 7");
#elif defined(READS_AT)
    [[maybe_unused]] const volatile std::uint8_t read = data[1][READS_AT];
    return FaultyCode::encode(data, coding, chunk_size);
#endif
#ifdef FAULT_shares_a_buffer
    static std::vector<std::uint8_t> sum(16 << 20);
#else
    std::vector<std::uint8_t> sum(chunk_size);
#endif
    std::uint8_t* const out[] = {sum.data()};
    FaultyCode::encode(data, out, chunk_size);
    std::copy_n(sum.begin(), chunk_size, coding[0]);
  }
};

[[maybe_unused]] std::unique_ptr<ErasureCode> make(const Context&) {
#if defined(FAULT_throws_at_make)
  throw std::out_of_range("field 7");  // not an Error
#elif defined(FAULT_throws_lines)
  throw std::runtime_error("first line\nsecond line\n");
#elif defined(FAULT_throws_no_exception)
  throw 7;
#elif defined(FAULT_wrong_decode)
  return std::make_unique<FaultyCode>(Fault::decodes_one_byte_wrong);
#elif defined(FAULT_wrong_encode)
  return std::make_unique<FaultyCode>(Fault::encodes_wrong_later);  // after the verification that comes before the timed loop
#else
  return std::make_unique<OneFault>();
#endif
}

#ifdef FAULT_no_technique
const Plugin made{.name = "no_technique", .summary = "nothing", .default_technique = "", .techniques = {}};
#else
const Plugin made = faulty_plugin("faulty", {faulty_technique("", make)});
#endif

const Plugin& plugin() {
#ifdef FAULT_throws_at_load
  throw std::runtime_error("no such processor");
#elif defined(FAULT_refuses_at_load)
  throw Error("no such licence");
#endif
  return made;
}

}  // namespace

ECBENCH_PLUGIN(plugin())

#endif
