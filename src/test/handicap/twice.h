// Slows a plugin down, for tests of tools that must detect the lower speed: encode() and decode() repeat 5 % of their work, or
// ECBENCH_HANDICAP_PERCENT, which is read when the plugin is loaded. The computed bytes are correct.
//
// If chunks are longer than 16 KiB, a call repeats either nothing or at least 16 KiB of each chunk. If chunks are shorter, most
// calls repeat nothing; with 5 %, every twentieth call repeats whole chunks. Repeated data may already be in the cache, so small
// objects with cache=cold are slowed down less.
//
// Include this file before the sources that create the codes: std::make_unique then makes a Twice<Code> instead of a `Code`.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"

namespace ecbench::handicap {

inline std::size_t percent_asked_for() {
  const char* text = std::getenv("ECBENCH_HANDICAP_PERCENT");
  if (text == nullptr) return 5;
  char* end = nullptr;
  const long percent = std::strtol(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && percent <= 100) return static_cast<std::size_t>(percent);
  throw Error(std::string("ECBENCH_HANDICAP_PERCENT=") + text + " is not allowed: use a whole number, 0 to 100");
}

inline const std::size_t percent = percent_asked_for();

template <typename Code>
class Twice : public Code {
 public:
  using Code::Code;

  // encode() decides before Code::encode() whether work is repeated. So a call that repeats nothing does nothing after
  // Code::encode(). Each additional ns matters: a call may take only 60 ns, and one ns more makes such a call almost 2 % slower.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    const std::size_t again = bytes_due(chunk_size);
    if (again == 0) [[likely]]
      return Code::encode(data, coding, chunk_size);
    Code::encode(data, coding, chunk_size);
    Code::encode(data, coding, again);
  }

 protected:
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const std::size_t again = bytes_due(chunk_size);
    if (again == 0) [[likely]]
      return Code::run_plan(plan, chunks, chunk_size);
    Code::run_plan(plan, chunks, chunk_size);
    Code::run_plan(plan, chunks, again);
  }

 private:
  /// The bytes per chunk for which this call repeats its work: 0, the whole chunk, or at least 16 KiB, because the cost of another
  /// call would dominate for fewer. With several threads, `owed_` may become inexact.
  std::size_t bytes_due(std::size_t chunk_size) const {
    std::size_t owed = owed_.load(std::memory_order_relaxed) + chunk_size * percent;
    std::size_t due = 0;
    if (owed >= 100 * std::min(chunk_size, piece_bytes_)) [[unlikely]] {
      due = std::min(chunk_size, owed / 100);
      if (due < chunk_size) due -= due % unit_bytes_;
      owed -= 100 * due;
    }
    owed_.store(owed, std::memory_order_relaxed);
    return due;
  }

  std::size_t unit_bytes_ = Code::chunk_size(1);
  std::size_t piece_bytes_ = round_up(std::size_t{1} << 14, unit_bytes_);
  mutable std::atomic<std::size_t> owed_ = 0;  // 100 times the number of bytes per chunk that later calls must repeat
};

}  // namespace ecbench::handicap

// make_twice() must be in namespace std: the macro below changes std::make_unique to std::make_twice.
namespace std {

template <typename Type, typename... Arguments>
unique_ptr<Type> make_twice(Arguments&&... arguments) {
  if constexpr (is_base_of_v<ecbench::ErasureCode, Type>) {
    return unique_ptr<Type>(new ecbench::handicap::Twice<Type>(forward<Arguments>(arguments)...));
  } else {
    return unique_ptr<Type>(new Type(forward<Arguments>(arguments)...));
  }
}

}  // namespace std

#define make_unique make_twice
