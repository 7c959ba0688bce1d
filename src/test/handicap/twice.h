// A plugin that loses a stated share of its speed, for tests of what must notice it: encode() and decode() do 5 % of their work
// twice, or as many as $ECBENCH_HANDICAP_PERCENT says when the plugin is loaded: long chunks in part at each call, short ones whole
// at every twentieth. So the loss is work of the code's own and not sleep; what is done again may be in the cache, so that small
// cold points lose less. The bytes are right. Included before the sources that make the codes, whose make_unique it takes.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "erasure_code/error.h"
#include "handicap/replaced_codes.h"

namespace ecbench::handicap {

inline std::size_t percent_asked_for() {
  const char* text = std::getenv("ECBENCH_HANDICAP_PERCENT");
  if (text == nullptr) return 5;
  char* end = nullptr;
  const long percent = std::strtol(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && percent <= 100) return static_cast<std::size_t>(percent);
  throw Error(std::string("ECBENCH_HANDICAP_PERCENT=") + text + " is not allowed: give a whole number, 0 to 100");
}

inline const std::size_t percent = percent_asked_for();

template <typename Code>
class Replaced : public Code {
 public:
  using Code::Code;

  // Tested before the work, so that most calls go straight on: where one takes 60 ns, 1 ns is a loss of its own.
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
  /// How much of the chunks is to be done again. Shorter pieces would cost by the call. Threads may lose count, and never bytes.
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
  mutable std::atomic<std::size_t> owed_ = 0;  // hundredths of a byte of each chunk
};

}  // namespace ecbench::handicap
