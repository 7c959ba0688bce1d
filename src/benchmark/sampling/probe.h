// A probe is a short speed test of the CPU that the calling thread runs on. It shows whether another hardware thread uses the same
// core, and whether other programs use the memory. The CPU time of the thread does not show this: if the other hardware thread is
// busy, the thread loses up to half of its speed, but its CPU time stays the same. The CPU topology that the system
// reports does not show it either: a virtual machine may report one hardware thread per core although the core has two.
//
// A probe times two loops. The throughput-bound loop keeps the execution units busy. The latency-bound loop is one chain of
// dependent multiplications. If the other hardware thread is busy, the throughput-bound loop is slower, but the speed of the
// latency-bound loop hardly changes. The ratio of the two speeds does not depend on the clock frequency. A third loop, which is
// optional, reads from memory.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ecbench {

/// Speeds. The unit of time is the duration of one multiplication in the latency-bound loop. 0: the speed is unknown.
struct ProbeSpeed {
  double throughput = 0;  ///< instructions of the throughput-bound loop in the time of one multiplication
  double memory = 0;      ///< bytes read from memory in the time of one multiplication

  friend bool operator==(const ProbeSpeed&, const ProbeSpeed&) = default;
};

/// The lower throughput and the lower memory speed of two probes.
ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b);
/// The higher throughput and the higher memory speed of two probes.
ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b);

/// Estimates the speed of an undisturbed machine from the probes of one run. The throughput of the result is the upper quartile of
/// the probes, so it is correct if at least a quarter of the probes are undisturbed. The memory speed varies more, so the memory
/// speed of the result is the median. A single fast probe has no effect. If fewer than 16 probes contain one of the two speeds,
/// this speed is 0 in the result.
ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes);

class Probe {
 public:
  /// If `with_memory` is true, the probe also measures the speed of reads from memory. These reads use a separate buffer.
  explicit Probe(bool with_memory);

  /// Runs the probe, which takes about 40 us (80 us if `with_memory` was true). The probe does not affect the next measurement: two
  /// loops work in registers, and the buffer of the third loop is removed from the caches. On CPUs other than x86-64, this function
  /// does nothing, and all speeds are 0.
  ProbeSpeed run();

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> buffer_;
};

}  // namespace ecbench
