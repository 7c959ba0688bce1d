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

  /// False if Ceph's plugin with the same name computes a decode plan in every call. True if Ceph's plugin keeps plans between
  /// calls. Also true if Ceph has no plugin with this name.
  virtual bool keeps_plans_in_ceph() const { return true; }

  /// Makes the same call as encode(), but does no work. If the code is written in another language, the call enters that language
  /// and returns. Every call of the code takes at least as long as an empty call.
  virtual void empty_call() const;

  /// The names of the kernels, as users see them: "ec_encode_data_avx2, xor_gen_avx". These are the kernels that the library really
  /// runs on this CPU, not the requested kernels. "" if the kernels are unknown.
  virtual std::string kernel() const { return ""; }

  /// The names of the kernels that decode() runs with `plan`, or those that encode() runs if `plan` is null. They differ from
  /// kernel() if a code selects the way in which it computes chunks.
  virtual std::string kernel_of(const DecodePlan* /*plan*/) const { return kernel(); }

  /// Functions of the codec library. Most of them have no symbol, so profilers show the names in this list. The plugin takes the
  /// addresses from pointers that the library provides, and does not guess names.
  virtual std::vector<KernelFunction> kernel_functions() const { return {}; }
};

/// The BenchmarkInfo for all classes that do not derive from BenchmarkInfo.
const BenchmarkInfo& no_benchmark_info();

/// The BenchmarkInfo of `subject` (an ErasureCode or ChunkProducts). If the class of `subject` does not derive from BenchmarkInfo,
/// the result is no_benchmark_info().
template <typename Subject>
const BenchmarkInfo& info_of(const Subject& subject) {
  const auto* info = dynamic_cast<const BenchmarkInfo*>(&subject);
  return info != nullptr ? *info : no_benchmark_info();
}

}  // namespace ecbench
