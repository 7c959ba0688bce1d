#include "plugins/lrc/passes.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/lrc/subsets.h"

namespace ecbench::lrc {
namespace {

using Chunks = std::set<int>;

std::shared_ptr<const DecodePlan> plan_if_possible(const ErasureCode& code, const Positions& erased, const Positions& wanted) {
  try {
    return code.plan(erased, wanted);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return nullptr;
  }
}

/// As chunk numbers of the layer's code; `chunks` are positions.
Positions members(const Layer& layer, const Chunks& chunks) {
  Positions numbers;
  for (int number = 0; number < static_cast<int>(layer.positions.size()); number++) {
    if (chunks.count(layer.positions[index(number)])) numbers.push_back(number);
  }
  return numbers;
}

/// Chunk numbers of the layer's code: still lost, and those of them that it can rebuild.
struct Turn {
  int layer;
  Positions lost;
  Positions rebuilt;
};

Positions recoverable(const ErasureCode& code, const Positions& lost) {
  if (plan_if_possible(code, lost, lost) != nullptr) return lost;
  Positions some;
  for (const int chunk : lost) {
    if (plan_if_possible(code, lost, {chunk}) != nullptr) some.push_back(chunk);
  }
  return some;
}

std::vector<Turn> all_turns(const std::vector<Layer>& layers, const std::vector<int>& chosen, Chunks missing) {
  std::vector<Turn> turns;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const int number : chosen) {
      const Layer& layer = layers[index(number)];
      const Positions lost = members(layer, missing);
      if (lost.empty()) continue;
      Turn turn{number, lost, recoverable(*layer.code, lost)};
      if (turn.rebuilt.empty()) continue;
      for (const int chunk : turn.rebuilt) missing.erase(layer.positions[index(chunk)]);
      turns.push_back(std::move(turn));
      is_changed = true;
    }
  }
  return turns;
}

/// From the last turn to the first, because a turn may read what an earlier one rebuilds.
std::optional<Passes> needed_steps(const std::vector<Layer>& layers, const std::vector<Turn>& turns, const Positions& erased,
                                   const Positions& targets) {
  Passes passes;
  Chunks needed(targets.begin(), targets.end());
  Chunks reads;
  Chunks intermediates;
  for (const Turn& turn : std::views::reverse(turns)) {
    const Layer& layer = layers[index(turn.layer)];
    Positions wanted;
    std::ranges::set_intersection(turn.rebuilt, members(layer, needed), std::back_inserter(wanted));
    if (wanted.empty()) continue;
    const std::shared_ptr<const DecodePlan> plan = plan_if_possible(*layer.code, turn.lost, wanted);
    if (plan == nullptr) return {};
    for (const int chunk : wanted) needed.erase(layer.positions[index(chunk)]);
    for (const int chunk : plan->reads) {
      const int position = layer.positions[index(chunk)];
      if (!std::ranges::binary_search(erased, position)) {
        reads.insert(position);
        continue;
      }
      needed.insert(position);
      if (!std::ranges::binary_search(targets, position)) intermediates.insert(position);
    }
    passes.steps.insert(passes.steps.begin(), {turn.layer, plan});
  }
  if (!needed.empty()) return {};
  passes.reads.assign(reads.begin(), reads.end());
  passes.intermediates.assign(intermediates.begin(), intermediates.end());
  return passes;
}

struct ByReads : Passes {
  bool operator<(const ByReads& other) const { return reads.size() < other.reads.size(); }
};

}  // namespace

std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets) {
  const Chunks missing(erased.begin(), erased.end());
  std::vector<int> units;  // layers with a lost chunk, in reverse order
  for (int number = static_cast<int>(layers.size()) - 1; number >= 0; number--) {
    if (!members(layers[index(number)], missing).empty()) units.push_back(number);
  }
  return best_of_subsets(static_cast<int>(units.size()), [&](const std::vector<int>& set) -> std::optional<ByReads> {
    std::vector<int> chosen;
    for (const int unit : set) chosen.push_back(units[index(unit)]);
    std::optional<Passes> passes = needed_steps(layers, all_turns(layers, chosen, missing), erased, targets);
    return passes ? std::optional(ByReads{std::move(*passes)}) : std::nullopt;
  });
}

}  // namespace ecbench::lrc
