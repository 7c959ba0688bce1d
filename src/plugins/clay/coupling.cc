#include "plugins/clay/coupling.h"

#include <algorithm>

#include "erasure_code/error.h"
#include "erasure_code/index.h"

namespace ecbench::clay {
namespace {

constexpr int pair_chunk_count = 4;

/// Chunks of the 2+2 code; `result` is computed from the other two.
struct Operands {
  int result;
  int first;
  int second;
};

constexpr Operands operands(Step step, bool is_high) {
  const int own_c = is_high ? 0 : 1;
  const int partner_c = 1 - own_c;
  const int own_u = 2 + own_c;
  const int partner_u = 2 + partner_c;
  switch (step) {
    case Step::own_u_from_both_c:
      return {own_u, own_c, partner_c};
    case Step::own_u_from_partner_u:
      return {own_u, own_c, partner_u};
    case Step::own_c_from_partner_c:
      return {own_c, own_u, partner_c};
    case Step::own_c_from_both_u:
      return {own_c, own_u, partner_u};
    case Step::partner_c_from_own_both:
      break;
  }
  return {partner_c, own_c, own_u};
}

std::unique_ptr<const ChunkProducts> make_work(const ScalarCode& code, const Operands& chunks) {
  Positions erased;
  for (int chunk = 0; chunk < pair_chunk_count; chunk++) {
    if (chunk != chunks.first && chunk != chunks.second) erased.push_back(chunk);
  }
  std::optional<Rebuilding> rebuilding = code.rebuilding(erased, {chunks.result});
  if (!rebuilding) throw Error("its 2+2 code cannot recover every loss of two chunks");
  return std::move(rebuilding->work);
}

}  // namespace

Coupling::Coupling(const ScalarCode& code) {
  for (std::size_t step = 0; step < step_count; step++) {
    for (const bool is_high : {false, true}) {
      works_[step][is_high] = make_work(code, operands(static_cast<Step>(step), is_high));
    }
  }
}

void Coupling::run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
                   std::size_t size) const {
  const Operands chunks = operands(step, is_high);
  std::array<std::uint8_t*, pair_chunk_count> pointers{};
  pointers[index(chunks.result)] = result;
  pointers[index(chunks.first)] = const_cast<std::uint8_t*>(first);
  pointers[index(chunks.second)] = const_cast<std::uint8_t*>(second);
  works_[static_cast<std::size_t>(step)][is_high]->run(pointers, size);
}

}  // namespace ecbench::clay
