#include "plugins/simd/xor/xor_program.h"

#include <algorithm>
#include <utility>

#include "erasure_code/error.h"
#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {
namespace {

/// If a stage has more sums than this, it is computed without differences, because the search for differences would take seconds.
constexpr std::size_t most_sums_for_differences = 1024;
/// At most this many sums are compared with a group to choose the next sum of the group.
constexpr std::size_t group_search_width = 128;

/// Divides `sums` into groups. The sums of a group share many sources. The first sum of a group has the most sources.
template <class Sum>
std::vector<std::vector<Sum>> grouped(std::vector<Sum> sums, int grouped_targets) {
  std::vector<std::vector<Sum>> groups;
  std::ranges::stable_sort(sums, [](const Sum& a, const Sum& b) { return ones(a.sources) > ones(b.sources); });
  while (!sums.empty()) {
    std::vector<Sum>& group = groups.emplace_back();
    group.push_back(std::move(sums.front()));
    sums.erase(sums.begin());
    BitRow loaded = group.front().sources;
    while (static_cast<int>(group.size()) < grouped_targets) {
      int most_common = 0;
      auto best = sums.end();
      const std::size_t width = std::min(sums.size(), group_search_width);
      for (auto sum = sums.begin(); sum != sums.begin() + static_cast<std::ptrdiff_t>(width); ++sum) {
        const int common = common_ones(sum->sources, loaded);
        if (common <= most_common) continue;
        most_common = common;
        best = sum;
      }
      if (best == sums.end()) break;
      for (std::size_t i = 0; i < loaded.size(); i++) loaded[i] |= best->sources[i];
      group.push_back(std::move(*best));
      sums.erase(best);
    }
  }
  return groups;
}

template <class Sum>
int loads(const std::vector<std::vector<Sum>>& groups) {
  int count = 0;
  for (const std::vector<Sum>& group : groups) {
    BitRow loaded(group.front().sources.size(), 0);
    for (const Sum& sum : group) {
      for (std::size_t i = 0; i < loaded.size(); i++) loaded[i] |= sum.sources[i];
    }
    count += ones(loaded);
  }
  return count;
}

/// Replaces a sum by an earlier sum plus the difference, if this needs fewer sources; a minimum spanning tree over all sums and
/// zero (Prim) selects it. Sums in a level depend only on lower levels.
template <class Sum>
std::vector<std::vector<Sum>> levels_of_differences(const std::vector<Sum>& sums) {
  struct Nearest {
    int bits;
    int parent;  // -1: zero
    bool is_done;
    std::size_t level;
  };
  std::vector<Nearest> nearest;
  for (const Sum& sum : sums) nearest.push_back({ones(sum.sources), -1, false, 0});
  std::vector<std::vector<Sum>> levels;
  for (std::size_t done = 0; done < sums.size(); done++) {
    std::size_t next = sums.size();
    for (std::size_t i = 0; i < sums.size(); i++) {
      if (!nearest[i].is_done && (next == sums.size() || nearest[i].bits < nearest[next].bits)) next = i;
    }
    Nearest& own = nearest[next];
    own.is_done = true;
    Sum sum = sums[next];
    if (own.parent >= 0) {
      const Sum& parent = sums[index(own.parent)];
      add_to(sum.sources, parent.sources);
      flip(sum.sources, parent.target);
      own.level = nearest[index(own.parent)].level + 1;
    }
    if (levels.size() <= own.level) levels.resize(own.level + 1);
    levels[own.level].push_back(std::move(sum));
    for (std::size_t i = 0; i < sums.size(); i++) {
      if (nearest[i].is_done) continue;
      const int bits = different_bits(sums[i].sources, sums[next].sources) + 1;
      if (bits < nearest[i].bits) nearest[i] = {bits, static_cast<int>(next), false, 0};
    }
  }
  return levels;
}

struct Neon {};

}  // namespace

XorProgramBuilder::XorProgramBuilder(int source_count, int target_count, int grouped_targets) : grouped_targets_(grouped_targets) {
  program_.source_count = source_count;
  program_.target_count = target_count;
  if (source_count + target_count <= most_operands - most_scratch_packets) return;
  throw Error("a code with (k+m)*w = " + std::to_string(source_count + target_count) + " is too large; allowed: at most " +
              std::to_string(most_operands - most_scratch_packets) + "; use a smaller w");
}

int XorProgramBuilder::new_scratch() {
  if (program_.scratch_count == most_scratch_packets) throw Error("an XOR program needs too many scratch packets");
  return program_.source_count + program_.target_count + program_.scratch_count++;
}

void XorProgramBuilder::add_stage(std::vector<PacketSum> sums) { given_.push_back(std::move(sums)); }

XorProgram XorProgramBuilder::build() {
  const std::size_t words = index(program_.operand_count() / 64 + 1);
  for (const std::vector<PacketSum>& sums : given_) {
    Stage& stage = stages_.emplace_back();
    for (const PacketSum& sum : sums) {
      stage.push_back({sum.target, BitRow(words, 0)});
      for (const int source : sum.sources) flip(stage.back().sources, source);
    }
  }
  inline_scratch_used_once();
  for (const std::vector<Stage>& steps : ordered()) {
    for (const Stage& group : steps) append_group(group);
  }
  return std::move(program_);
}

/// If only one sum uses a scratch packet, the scratch packet is not computed. Instead, its sources become sources of this sum. This
/// saves a store and a load. Scratch packets that no sum uses are not computed either.
void XorProgramBuilder::inline_scratch_used_once() {
  const int first_scratch = program_.source_count + program_.target_count;
  for (std::size_t s = 0; s < stages_.size(); s++) {
    std::erase_if(stages_[s], [&](const Sum& sum) {
      if (sum.target < first_scratch) return false;
      Sum* user = nullptr;
      int uses = 0;
      for (std::size_t later = s + 1; later < stages_.size(); later++) {
        for (Sum& other : stages_[later]) {
          if (!bit(other.sources, sum.target)) continue;
          user = &other;
          uses++;
        }
      }
      if (uses > 1) return false;
      if (uses == 1) {
        flip(user->sources, sum.target);
        add_to(user->sources, sum.sources);
      }
      return true;
    });
  }
}

/// The groups of each stage. Sums are computed from differences if this loads fewer packets, but not from sums that are added to
/// their own targets, whose old bytes have been overwritten.
std::vector<std::vector<XorProgramBuilder::Stage>> XorProgramBuilder::ordered() const {
  std::vector<std::vector<Stage>> result;
  for (const Stage& stage : stages_) {
    if (stage.empty()) continue;
    std::vector<Stage> plain = grouped(stage, grouped_targets_);
    const bool is_addition = std::ranges::any_of(stage, [](const Sum& sum) { return bit(sum.sources, sum.target); });
    if (!is_addition && stage.size() <= most_sums_for_differences) {
      std::vector<Stage> by_differences;
      for (const Stage& level : levels_of_differences(stage)) {
        for (Stage& group : grouped(level, grouped_targets_)) by_differences.push_back(std::move(group));
      }
      if (loads(by_differences) < loads(plain)) plain = std::move(by_differences);
    }
    result.push_back(std::move(plain));
  }
  return result;
}

void XorProgramBuilder::append_group(const Stage& group) {
  std::vector<std::vector<Operand>> subsets(std::size_t{1} << group.size());
  for (int operand = 0; operand < program_.operand_count(); operand++) {
    std::size_t subset = 0;
    for (std::size_t i = 0; i < group.size(); i++) subset |= std::size_t{bit(group[i].sources, operand)} << i;
    if (subset != 0) subsets[subset].push_back(static_cast<Operand>(operand));
  }
  program_.code.push_back(static_cast<Operand>(group.size()));
  for (const Sum& sum : group) {
    program_.code.push_back(static_cast<Operand>(sum.target));
    program_.xors += index(std::max(ones(sum.sources) - 1, 0));
  }
  for (std::size_t subset = 1; subset < subsets.size(); subset++) {
    program_.code.push_back(static_cast<Operand>(subsets[subset].size()));
    program_.loads += subsets[subset].size();
  }
  for (std::size_t subset = 1; subset < subsets.size(); subset++) {
    program_.code.insert(program_.code.end(), subsets[subset].begin(), subsets[subset].end());
  }
  program_.stores += group.size();
}

XorProgram program_of(const BitMatrix& rows, int grouped_targets) {
  XorProgramBuilder builder(rows.columns(), rows.rows(), grouped_targets);
  std::vector<PacketSum> sums;
  for (int row = 0; row < rows.rows(); row++) {
    PacketSum& sum = sums.emplace_back(PacketSum{builder.target(row), {}});
    for (int column = 0; column < rows.columns(); column++) {
      if (rows.at(row, column)) sum.sources.push_back(builder.source(column));
    }
  }
  builder.add_stage(std::move(sums));
  return builder.build();
}

XorProgram update_program(const BitMatrix& coding, int w, int chunk, int grouped_targets) {
  XorProgramBuilder builder(2 * w, coding.rows(), grouped_targets);
  // For each packet of the data chunk, the operands that are added to coding packets: a scratch packet, the XOR of the old and the
  // new packet, or both of them if there are not enough scratch packets.
  std::vector<std::vector<int>> deltas;
  std::vector<PacketSum> differences;
  for (int packet = 0; packet < w; packet++) {
    const std::vector<int> both{builder.source(packet), builder.source(w + packet)};
    if (w <= most_scratch_packets) {
      const int scratch = builder.new_scratch();
      differences.push_back({scratch, both});
      deltas.push_back({scratch});
    } else {
      deltas.push_back(both);
    }
  }
  std::vector<PacketSum> sums;
  for (int row = 0; row < coding.rows(); row++) {
    PacketSum& sum = sums.emplace_back(PacketSum{builder.target(row), {builder.target(row)}});
    for (int packet = 0; packet < w; packet++) {
      if (!coding.at(row, chunk * w + packet)) continue;
      sum.sources.insert(sum.sources.end(), deltas[index(packet)].begin(), deltas[index(packet)].end());
    }
  }
  std::erase_if(sums, [](const PacketSum& sum) { return sum.sources.size() == 1; });  // the target does not change
  builder.add_stage(std::move(differences));
  builder.add_stage(std::move(sums));
  return builder.build();
}

const XorKernel& neon_xor_kernel() {
  using Isa = Words<Neon, Vector16, Words8<Neon>, 8>;
  static constexpr XorKernel kernel{"NEON XOR program", 3, Isa::bytes * Isa::most_vectors, run_program<Isa>};
  return kernel;
}

const XorKernel& xor_kernel_of(const std::string& level) {
#if defined(__x86_64__)
  if (level.starts_with("avx512")) return avx512_xor_kernel();
  if (level.starts_with("avx2")) return avx2_xor_kernel();
#endif
  return level == "neon" ? neon_xor_kernel() : scalar_xor_kernel();
}

}  // namespace ecbench::simd
