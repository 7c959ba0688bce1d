// What only a benchmark asks of a code or of products: kernel names, the cost of a call, Ceph's plan reuse. It is optional and
// outside of the contract between stores and codes: a class derives from BenchmarkInfo next to ErasureCode or ChunkProducts.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// A function that encode() or decode() run, known by its address.
struct KernelFunction {
  const void* address = nullptr;  ///< where it begins
  std::string name;               ///< for people: "GF-Complete w=8 multiply_region (split table 4,8 SSSE3)"
  std::string how;                ///< how it was found: "multiply_region of the field GF(2^8)"
};

class BenchmarkInfo {
 public:
  virtual ~BenchmarkInfo();

  /// True if Ceph's plugin of this name keeps decode plans between calls; false if it computes each again. For timing as Ceph does.
  virtual bool keeps_plans_in_ceph() const { return true; }

  /// Does nothing, where encode() does its work: a code in another language enters that language and returns. Every call costs at
  /// least as much.
  virtual void empty_call() const;

  /// The kernels that run on this CPU, for people: "ec_encode_data_avx2, xor_gen_avx". These are the kernels that were found to be
  /// chosen, not those that were asked for; "" if nothing is known.
  virtual std::string kernel() const { return ""; }

  /// The functions of the library below that no symbol names, as far as it hands out pointers to them, for profilers. Never a
  /// guess.
  virtual std::vector<KernelFunction> kernel_functions() const { return {}; }
};

/// The information of a code that has none.
const BenchmarkInfo& no_benchmark_info();

/// The information of an ErasureCode or of ChunkProducts.
template <typename Subject>
const BenchmarkInfo& info_of(const Subject& subject) {
  const auto* info = dynamic_cast<const BenchmarkInfo*>(&subject);
  return info != nullptr ? *info : no_benchmark_info();
}

}  // namespace ecbench
