// A short probe of the CPU that the calling thread runs on. It shows whether another hardware thread uses the same core, and
// whether other programs use the memory. CPU time shows neither of these. A busy SMT sibling takes up to half of the speed,
// although the thread has its CPU all the time. The reported topology is not sufficient either: a virtual machine may report one
// thread per core although the core has two.
//
// The throughput-bound loop keeps the execution units busy. The latency-bound loop is one chain of dependent multiplications. A
// busy sibling makes the throughput-bound loop slower, but has almost no effect on the latency-bound loop. The ratio of the two
// speeds does not depend on the clock frequency.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ecbench {

/// Speeds relative to the latency-bound loop. 0 means that the speed was not probed.
struct ProbeSpeed {
  double throughput = 0;  ///< instructions of the throughput-bound loop in the time of one multiplication
  double memory = 0;      ///< bytes read from memory in the time of one multiplication

  friend bool operator==(const ProbeSpeed&, const ProbeSpeed&) = default;
};

/// The lower throughput and the lower memory speed of two probes.
ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b);
/// The higher throughput and the higher memory speed of two probes.
ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b);

/// Estimates the speed of an undisturbed machine from the probes of one run. The throughput is the upper quartile, so a quarter of
/// the probes must be undisturbed. The memory speed varies more, so its median is used. A single fast probe has no effect. If there
/// are fewer than 16 probes of a speed, the result is 0.
ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes);

class Probe {
 public:
  /// If `with_memory` is true, the probe also measures reads from memory, in a separate buffer.
  explicit Probe(bool with_memory);

  /// Takes about 40 us, and about 80 us with memory. The loops work in registers, and the buffer is removed from the caches, so the
  /// next measurement is not affected. On CPUs other than x86-64, the function does nothing, and all speeds are 0.
  ProbeSpeed run();

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> buffer_;
};

}  // namespace ecbench
