// Information that only a benchmark asks of a code or of products: kernel names, the cost of a call, Ceph's plan reuse. It is not a
// part of the contract between stores and codes. A class may derive from BenchmarkInfo and from ErasureCode or ChunkProducts.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// A function that encode() or decode() runs, identified by its address.
struct KernelFunction {
  const void* address = nullptr;  ///< its first instruction
  std::string name;               ///< in readable form: "GF-Complete w=8 multiply_region (split table 4,8 SSSE3)"
  std::string how;                ///< how it was found: "multiply_region of the field GF(2^8)"
};

class BenchmarkInfo {
 public:
  virtual ~BenchmarkInfo();

  /// True if Ceph's plugin of this name keeps decode plans between calls; false if every call computes them.
  virtual bool keeps_plans_in_ceph() const { return true; }

  /// Makes the call that encode() makes, without its work: a code in another language enters that language and returns. No call of
  /// the code takes less time.
  virtual void empty_call() const;

  /// The kernels that run on this CPU, in readable form: "ec_encode_data_avx2, xor_gen_avx". They are the kernels that the library
  /// was found to choose, not the kernels that were asked for. "" if they are unknown.
  virtual std::string kernel() const { return ""; }

  /// Functions of the library that have no symbol but to which the library provides pointers. Profilers show their names. Never a
  /// guess.
  virtual std::vector<KernelFunction> kernel_functions() const { return {}; }
};

/// The BenchmarkInfo for a code without its own.
const BenchmarkInfo& no_benchmark_info();

/// The information of an ErasureCode or of ChunkProducts.
template <typename Subject>
const BenchmarkInfo& info_of(const Subject& subject) {
  const auto* info = dynamic_cast<const BenchmarkInfo*>(&subject);
  return info != nullptr ? *info : no_benchmark_info();
}

}  // namespace ecbench
