// Information about a code or about ChunkProducts: kernel names, the cost of a call, and whether Ceph reuses decode plans. A
// benchmark needs this interface, but a storage system does not. A class that derives from ErasureCode or ChunkProducts may also
// derive from BenchmarkInfo.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct DecodePlan;

/// A function that encode() or decode() runs, identified by its address.
struct KernelFunction {
  const void* address = nullptr;  ///< the address of its first instruction
  std::string name;               ///< for users: "GF-Complete w=8 multiply_region (split table 4,8 SSSE3)"
  std::string how;                ///< how the name was found: "multiply_region of the field GF(2^8)"
};

class BenchmarkInfo {
 public:
  virtual ~BenchmarkInfo();

  /// False if Ceph's plugin with the same name computes a decode plan in every call.
  virtual bool keeps_plans_in_ceph() const { return true; }

  /// Makes the same call as encode(), also into another language, but does no work.
  virtual void empty_call() const;

  /// The functions of the library that run on this CPU: "ec_encode_data_avx2, xor_gen_avx"; "" if unknown.
  virtual std::string kernel() const { return ""; }

  /// Of decode() with `plan`, or of encode() if it is null. Differs from kernel() if a code selects the way in which it computes.
  virtual std::string kernel_of(const DecodePlan* /*plan*/) const { return kernel(); }

  /// Functions of the codec library, for profilers: most have no symbol, so the addresses are from pointers of the library.
  virtual std::vector<KernelFunction> kernel_functions() const { return {}; }
};

const BenchmarkInfo& no_benchmark_info();

/// no_benchmark_info() if the class of `subject` (an ErasureCode or ChunkProducts) does not derive from BenchmarkInfo.
template <typename Subject>
const BenchmarkInfo& info_of(const Subject& subject) {
  const auto* info = dynamic_cast<const BenchmarkInfo*>(&subject);
  return info != nullptr ? *info : no_benchmark_info();
}

}  // namespace ecbench
