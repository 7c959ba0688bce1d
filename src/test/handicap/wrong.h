// Makes a plugin compute wrong bytes, for tests of tools that must detect wrong bytes. The environment variable ECBENCH_WRONG_BYTES
// selects the fault. The plugin reads the variable when it is loaded. The values of the variable are:
//
// at-once:    encode() flips a bit of every coding chunk
// late:       the first 1000 calls of a code are correct; all later calls of encode() and decode() flip a bit. The verification
//             passes, because it needs fewer than 1000 calls
// consistent: encode() and decode() exchange the first two coding chunks; only a comparison with another build detects this
//
// Without the variable, the bytes are correct. Include this file before the source files that create the codes, because it replaces
// make_unique.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "erasure_code/error.h"
#include "handicap/replaced_codes.h"

namespace ecbench::handicap {

enum class Wrong { never, at_once, late, consistent };

inline Wrong wrong_asked_for() {
  const char* variable = std::getenv("ECBENCH_WRONG_BYTES");
  const std::string text = variable == nullptr ? "" : variable;
  if (text.empty()) return Wrong::never;
  if (text == "at-once") return Wrong::at_once;
  if (text == "late") return Wrong::late;
  if (text == "consistent") return Wrong::consistent;
  throw Error("ECBENCH_WRONG_BYTES=" + text + " is not allowed: use at-once, late or consistent");
}

inline const Wrong wrong = wrong_asked_for();
inline constexpr int late_calls = 1000;

template <typename Code>
class Replaced : public Code {
 public:
  using Code::Code;

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    if (wrong == Wrong::consistent && coding.size() > 1) {
      std::vector<std::uint8_t*> exchanged(coding.begin(), coding.end());
      std::swap(exchanged[0], exchanged[1]);
      return Code::encode(data, exchanged, chunk_size);
    }
    Code::encode(data, coding, chunk_size);
    if (wrong != Wrong::at_once && !is_late()) return;
    for (std::uint8_t* chunk : coding) chunk[0] ^= 1;
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    std::unique_ptr<DecodePlan> plan = Code::make_plan(exchanged(erased), exchanged(rebuilt));
    plan->reads = exchanged(plan->reads);
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    std::vector<std::uint8_t*> by_position(chunks.begin(), chunks.end());
    if (exchanges()) std::swap(by_position[first()], by_position[second()]);
    Code::run_plan(plan, by_position, chunk_size);
    if (is_late()) chunks[static_cast<std::size_t>(plan.rebuilt.front())][0] ^= 1;
  }

 private:
  bool is_late() const { return wrong == Wrong::late && calls_.fetch_add(1) >= late_calls; }
  bool exchanges() const { return wrong == Wrong::consistent && this->coding_chunk_count() > 1; }
  std::size_t first() const { return static_cast<std::size_t>(this->coding_positions()[0]); }
  std::size_t second() const { return static_cast<std::size_t>(this->coding_positions()[1]); }

  Positions exchanged(Positions positions) const {
    if (!exchanges()) return positions;
    const int one = this->coding_positions()[0];
    const int other = this->coding_positions()[1];
    for (int& position : positions) position = position == one ? other : position == other ? one : position;
    std::ranges::sort(positions);
    return positions;
  }

  mutable std::atomic<int> calls_ = 0;
};

}  // namespace ecbench::handicap
