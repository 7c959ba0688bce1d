// A short probe of the CPU that the calling thread runs on: whether another hardware thread uses the same core, and whether others
// use the memory. CPU time shows neither: a busy SMT sibling takes up to half of the speed while the thread has all of its CPU, and
// a virtual machine may report one thread per core.
//
// A throughput-bound loop keeps the execution units busy, a latency-bound loop is one chain of dependent multiplications. A busy
// sibling slows the first and hardly the second. The ratio of their speeds does not depend on the clock frequency.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ecbench {

/// Speeds as multiples of the latency-bound loop's. 0: not probed.
struct ProbeSpeed {
  double throughput = 0;  ///< instructions of the throughput-bound loop in the time of one multiplication of the chain
  double memory = 0;      ///< bytes read from memory in that time

  friend bool operator==(const ProbeSpeed&, const ProbeSpeed&) = default;
};

/// The lower one of each speed.
ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b);
/// The higher one of each speed.
ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b);

/// What the probes of one run say of an undisturbed machine: the upper quartile of the throughput, so that a quarter of the probes
/// must be undisturbed, and the median of the memory's speed, which scatters. A single probe that is fast by chance has no effect.
/// 0 for speeds that fewer than 16 probes have.
ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes);

class Probe {
 public:
  /// `with_memory`: also measure reads from memory, in a buffer of its own.
  explicit Probe(bool with_memory);

  /// Takes about 40 microseconds, and as long again with memory. It works in registers, and removes its buffer from the caches, so
  /// that it does not change what is measured next. On other CPUs than x86-64 it does nothing, and all speeds are 0.
  ProbeSpeed run();

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> buffer_;
};

}  // namespace ecbench
