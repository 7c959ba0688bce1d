// A short probe of the CPU that the calling thread runs on. It shows whether another hardware thread uses the same core, and
// whether others use the memory. CPU time shows neither: a busy SMT sibling takes up to half of the speed while the thread has its
// CPU all the time, and a virtual machine may report one thread per core.
//
// A throughput-bound loop keeps the execution units busy; a latency-bound loop is one chain of dependent multiplications. A busy
// sibling slows the first loop, but hardly the second. The ratio of their speeds does not depend on the clock frequency.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ecbench {

/// Speeds relative to the latency-bound loop. 0: not probed.
struct ProbeSpeed {
  double throughput = 0;  ///< instructions of the throughput-bound loop in the time of one multiplication
  double memory = 0;      ///< bytes read from memory in the time of one multiplication

  friend bool operator==(const ProbeSpeed&, const ProbeSpeed&) = default;
};

/// The lower value of each speed.
ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b);
/// The higher value of each speed.
ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b);

/// Estimates the speed of an undisturbed machine from the probes of one run: the upper quartile of the throughput (so a quarter of
/// the probes must be undisturbed), and the median of the memory speed, which varies more. A single fast probe has no effect. A
/// speed with fewer than 16 probes gives 0.
ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes);

class Probe {
 public:
  /// `with_memory`: also measure reads from memory, in a separate buffer.
  explicit Probe(bool with_memory);

  /// Takes about 40 us, and the same again with memory. The loops work in registers, and the buffer is removed from the caches, so
  /// the next measurement is not affected. On CPUs other than x86-64 it does nothing, and all speeds are 0.
  ProbeSpeed run();

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> buffer_;
};

}  // namespace ecbench
