#include "test/coded_object.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>

#include "erasure_code/error.h"
#include "test/directories.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

constexpr std::uint8_t guard_byte = 0xa5;

bool is_among(const Positions& positions, int position) { return std::ranges::find(positions, position) != positions.end(); }

std::vector<std::uint8_t> complement(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> result(bytes.begin(), bytes.end());
  for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(~byte);
  return result;
}

/// Keeps memory for the next chunks of this size, unless they are large: to map it takes longer than most checks of small chunks.
std::shared_ptr<FencedMemory> fenced_memory(std::size_t size) {
  static std::mutex mutex;
  static auto& unused = *new std::map<std::size_t, std::vector<std::unique_ptr<FencedMemory>>>;  // static chunks end later
  if (size > 64 << 10) return std::make_shared<FencedMemory>(size);
  const std::lock_guard lock(mutex);
  auto& memory = unused[size];
  if (memory.empty()) memory.push_back(std::make_unique<FencedMemory>(size));
  FencedMemory* const taken = memory.back().release();
  memory.pop_back();
  return {taken, [&memory](FencedMemory* returned) {
            const std::lock_guard again(mutex);
            memory.emplace_back(returned);
          }};
}

ChunkSet encoded_in(const ErasureCode& code, std::span<const std::uint8_t> object, std::size_t chunk_size) {
  ChunkSet chunks(code.chunk_count(), chunk_size);
  for (const int position : code.data_positions()) {
    const std::span<const std::uint8_t> piece = object.first(std::min(object.size(), chunk_size));
    std::ranges::fill(std::ranges::copy(piece, chunks[position].begin()).out, chunks[position].end(), std::uint8_t{0});
    object = object.subspan(piece.size());
  }
  EXPECT_TRUE(object.empty()) << "the object is longer than k chunks";
  encode(code, chunks);
  return chunks;
}

}  // namespace

void PrintTo(const Profiled& profiled, std::ostream* out) { *out << profiled.plugin << ' ' << profiled.parameters; }

std::vector<Profiled> profiles_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& plugins) {
  std::vector<Profiled> profiles;
  for (const auto& [plugin, all] : plugins) {
    for (const std::string& parameters : all) profiles.push_back({plugin, parameters});
  }
  return profiles;
}

std::string shape(int k, int m) { return " k=" + std::to_string(k) + " m=" + std::to_string(m); }

Profile parsed_profile(const std::string& parameters) {
  Profile profile;
  std::istringstream in(parameters);
  for (std::string parameter; in >> parameter;) profile.add(parameter);
  return profile;
}

Registry& registry() {
  thread_local Registry registry(plugin_directory(), [](const std::string&) {});
  return registry;
}

std::unique_ptr<ErasureCode> make_code(const std::string& plugin, Profile profile, const Limits& limits) {
  return registry().make(plugin, profile, limits);
}

std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const std::string& parameters, const Limits& limits) {
  return make_code(plugin, parsed_profile(parameters), limits);
}

std::string expect_refused(const std::string& plugin, const std::string& parameters) {
  SCOPED_TRACE(plugin + " " + parameters);
  const std::string message = refusal_of([&] { make_code(plugin, parameters); });
  EXPECT_TRUE(message.starts_with(parameters.substr(parameters.rfind(' ') + 1) + " ")) << message;
  return message;
}

ChunkSet::ChunkSet(int chunk_count, std::size_t chunk_size) : chunk_size_(chunk_size) {
  for (int i = 0; i < chunk_count; i++) {
    const FencedMemory& memory = *memory_.emplace_back(fenced_memory(round_up(chunk_size, FencedMemory::page_size())));
    pointers_.push_back(memory.end() - round_up(chunk_size, chunk_alignment_bytes));
    std::fill(memory.begin(), memory.end(), guard_byte);
  }
}

std::span<std::uint8_t> ChunkSet::operator[](int position) {
  return {pointers_.at(static_cast<std::size_t>(position)), chunk_size_};
}

std::span<const std::uint8_t> ChunkSet::operator[](int position) const {
  return {pointers_.at(static_cast<std::size_t>(position)), chunk_size_};
}

bool ChunkSet::guards_are_whole() const {
  const auto are_guards = [](const std::uint8_t* begin, const std::uint8_t* end) {
    return begin == end || (*begin == guard_byte && std::equal(begin, end - 1, begin + 1));
  };
  for (std::size_t i = 0; i < memory_.size(); i++) {
    if (!are_guards(memory_[i]->begin(), pointers_[i]) || !are_guards(pointers_[i] + chunk_size_, memory_[i]->end())) return false;
  }
  return true;
}

std::vector<std::uint8_t> random_object(std::size_t size_bytes) {
  std::mt19937 random(20131101);
  std::vector<std::uint8_t> object(size_bytes);
  for (std::uint8_t& byte : object) byte = static_cast<std::uint8_t>(random());
  return object;
}

ChunkSet encoded(const ErasureCode& code, std::span<const std::uint8_t> object) {
  return encoded_in(code, object, code.chunk_size(object.size()));
}

ChunkSet encoded_chunks(const ErasureCode& code, std::size_t chunk_size) {
  return encoded_in(code, random_object(chunk_size * code.data_positions().size()), chunk_size);
}

void encode(const ErasureCode& code, ChunkSet& chunks) {
  std::vector<const std::uint8_t*> data;
  std::vector<std::uint8_t*> coding;
  for (const int position : code.data_positions()) data.push_back(chunks[position].data());
  for (const int position : code.coding_positions()) {
    std::ranges::fill(chunks[position], std::uint8_t{0x5a});
    coding.push_back(chunks[position].data());
  }
  code.encode(data, coding, chunks.chunk_size());
  EXPECT_TRUE(chunks.guards_are_whole()) << "encode wrote outside the chunks";
}

void expect_same(const ChunkSet& chunks, const ChunkSet& expected) {
  ASSERT_EQ(chunks.chunk_size(), expected.chunk_size());
  ASSERT_EQ(chunks.pointers().size(), expected.pointers().size());
  for (int i = 0; i < static_cast<int>(chunks.pointers().size()); i++) {
    EXPECT_TRUE(std::ranges::equal(chunks[i], expected[i])) << "chunk " << i << " is wrong";
  }
}

std::vector<Positions> erasure_patterns(int chunk_count, int most) {
  std::vector<Positions> patterns;
  const auto extend = [&](const auto& self, Positions pattern) -> void {
    if (!pattern.empty()) patterns.push_back(pattern);
    if (static_cast<int>(pattern.size()) == most) return;
    for (int next = pattern.empty() ? 0 : pattern.back() + 1; next < chunk_count; next++) {
      pattern.push_back(next);
      self(self, pattern);
      pattern.pop_back();
    }
  };
  extend(extend, {});
  return patterns;
}

Positions some_of(Positions positions, std::size_t count, std::mt19937& random) {
  std::ranges::shuffle(positions, random);
  positions.resize(count);
  std::ranges::sort(positions);
  return positions;
}

Positions all_positions(const ErasureCode& code) {
  Positions all(static_cast<std::size_t>(code.chunk_count()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Positions without(const ErasureCode& code, const Positions& erased) {
  Positions left = all_positions(code);
  std::erase_if(left, [&](int position) { return is_among(erased, position); });
  return left;
}

Positions data_positions(const ErasureCode& code) { return {code.data_positions().begin(), code.data_positions().end()}; }

void check_decode(const ErasureCode& code, const ChunkSet& truth, const Positions& erased, const Positions& wanted) {
  SCOPED_TRACE("lost " + testing::PrintToString(erased) + ", wanted " + testing::PrintToString(wanted));
  const std::shared_ptr<const DecodePlan> plan = code.plan_uncached(erased, wanted);
  ChunkSet chunks(code.chunk_count(), truth.chunk_size());
  for (const int position : all_positions(code)) {
    const bool is_read = is_among(plan->reads, position);
    EXPECT_FALSE(is_read && is_among(erased, position)) << "the plan reads lost chunk " << position;
    std::ranges::copy(is_read ? std::vector(truth[position].begin(), truth[position].end()) : complement(truth[position]),
                      chunks[position].begin());
  }
  code.decode(*plan, chunks.pointers(), chunks.chunk_size());
  EXPECT_TRUE(chunks.guards_are_whole()) << "decode wrote outside the chunks";
  for (const int position : all_positions(code)) {
    const bool is_rebuilt = is_among(erased, position) && is_among(wanted, position);
    EXPECT_EQ(is_rebuilt, is_among(plan->rebuilt, position)) << "chunk " << position;
    const bool holds_truth = is_rebuilt || is_among(plan->reads, position);
    const bool as_it_should_be = holds_truth ? std::ranges::equal(chunks[position], truth[position])
                                             : std::ranges::equal(chunks[position], complement(truth[position]));
    EXPECT_TRUE(as_it_should_be) << "chunk " << position << (holds_truth ? " is wrong" : " was written though not wanted");
  }
}

namespace {

/// Returns the sub-chunks of `chunk` that `runs` lists, in the order of `runs`.
std::vector<std::uint8_t> gathered(std::span<const std::uint8_t> chunk, const std::vector<SubChunkRun>& runs, int sub_chunk_count) {
  const std::size_t size = chunk.size() / static_cast<std::size_t>(sub_chunk_count);
  std::vector<std::uint8_t> part;
  for (const SubChunkRun& run : runs) {
    const auto bytes = chunk.subspan(static_cast<std::size_t>(run.first) * size, static_cast<std::size_t>(run.count) * size);
    part.insert(part.end(), bytes.begin(), bytes.end());
  }
  return part;
}

void check_repair(const Repair& repair, const ErasureCode& code, const ChunkSet& truth, int lost, const ReadSet& reads) {
  std::vector<ChunkSet> parts;
  std::vector<const std::uint8_t*> helpers(static_cast<std::size_t>(code.chunk_count()));
  for (const auto& [position, runs] : reads) {
    const std::vector<std::uint8_t> part = gathered(truth[position], runs, code.sub_chunk_count());
    parts.emplace_back(1, part.size());
    std::ranges::copy(part, parts.back()[0].begin());
    helpers[static_cast<std::size_t>(position)] = parts.back()[0].data();
  }
  ChunkSet rebuilt(1, truth.chunk_size());
  std::ranges::copy(complement(truth[lost]), rebuilt[0].begin());
  repair.repair(lost, helpers, rebuilt[0].data(), truth.chunk_size());
  EXPECT_TRUE(rebuilt.guards_are_whole()) << "repair wrote outside the chunk";
  EXPECT_TRUE(std::ranges::equal(rebuilt[0], truth[lost])) << "chunk " << lost << " has wrong bytes after the repair";
}

}  // namespace

ReadSet checked_reads(const ErasureCode& code, const ChunkSet& truth, int lost) {
  const ReadSet reads = code.minimum_to_decode({lost}, without(code, {lost}));
  EXPECT_EQ(reads.count(lost), 0u) << "the plan reads lost chunk " << lost;
  if (code.repair() != nullptr) {
    check_repair(*code.repair(), code, truth, lost, reads);
    return reads;
  }
  Positions read;
  for (const auto& [position, runs] : reads) read.push_back(position);
  EXPECT_EQ(code.plan_uncached({lost}, {lost})->reads, read) << "lost " << lost;
  check_decode(code, truth, {lost}, {lost});
  return reads;
}

std::vector<Positions> check_erasures(const ErasureCode& code, std::size_t object_size, int most) {
  const ChunkSet truth = encoded(code, random_object(object_size));
  std::vector<Positions> refused;
  for (const Positions& erased : erasure_patterns(code.chunk_count(), most)) {
    try {
      check_decode(code, truth, erased, all_positions(code));
      check_decode(code, truth, erased, data_positions(code));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::unrecoverable) << error.what();
      refused.push_back(erased);
    }
  }
  return refused;
}

std::vector<Positions> check_all_erasures(const ErasureCode& code, std::size_t object_size) {
  return check_erasures(code, object_size, code.coding_chunk_count());
}

}  // namespace ecbench::test
