#include "test/code_checks.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <thread>
#include <utility>

namespace ecbench::test {
namespace {

/// The size of the object, divided by the number of data chunks. The code may round this value up to the chunk size.
constexpr std::size_t chunk_bytes = 4096;

/// A byte range of a chunk: its start and its size, in units of the code's granularity.
struct Piece {
  std::size_t first_multiple;
  std::size_t multiples;  ///< 0: up to the end of the chunk
};

const std::vector<Piece> pieces{{0, 0}, {0, 1}, {1, 1}, {3, 7}, {32, 64}, {7, 0}};

/// Changes `size` bytes at `offset` in each data chunk of `changed`, and checks the coding chunks. The new bytes are in buffers
/// whose addresses are `skew` bytes after a multiple of chunk_alignment_bytes.
void check_update(const ErasureCode& code, std::span<const std::uint8_t> object, const Positions& changed, std::size_t offset,
                  std::size_t size, std::size_t skew) {
  ChunkSet chunks = encoded(code, object);
  std::vector<std::uint8_t> new_object(object.begin(), object.end());
  for (const int chunk : changed) {
    for (std::uint8_t& byte : std::span(new_object).subspan(static_cast<std::size_t>(chunk) * chunks.chunk_size() + offset, size)) {
      byte = static_cast<std::uint8_t>(byte * 5 + 1 + chunk);
    }
  }
  const ChunkSet truth = encoded(code, new_object);
  ChunkSet new_bytes(static_cast<int>(changed.size()), size + skew);
  std::vector<ChangedChunk> changes;
  for (std::size_t i = 0; i < changed.size(); i++) {
    const int position = code.data_positions()[static_cast<std::size_t>(changed[i])];
    std::uint8_t* const bytes = new_bytes.pointers()[i] + skew;
    std::ranges::copy(truth[position].subspan(offset, size), bytes);
    changes.push_back({ChunkNumber{changed[i]}, chunks[position].data() + offset, bytes});
  }
  std::vector<std::uint8_t*> coding;
  for (const int position : code.coding_positions()) coding.push_back(chunks[position].data() + offset);
  const ParityDelta& delta = *code.parity_delta();
  ChunkSet scratch(1, std::max<std::size_t>(delta.scratch_size(size), 1));
  delta.update(changes, coding, size, scratch[0].first(delta.scratch_size(size)));
  EXPECT_TRUE(scratch.guards_are_whole()) << "writes outside its scratch memory";
  EXPECT_TRUE(chunks.guards_are_whole()) << "writes outside the coding chunks";
  for (const int position : code.coding_positions()) {
    EXPECT_TRUE(std::ranges::equal(chunks[position], truth[position])) << "chunk " << position << " is wrong";
  }
}

/// One of two threads. Adds the number of wrong chunks to `wrong`.
void work(const ErasureCode& code, int most, std::span<const std::uint8_t> object, const ChunkSet& truth, std::atomic<int>& wrong) {
  const int rounds = truth.chunk_size() < 100'000 ? 10 : 2;
  for (int round = 0; round < rounds; round++) {
    ChunkSet chunks = encoded(code, object);
    const auto count_wrong = [&] {
      for (const int position : all_positions(code)) wrong += !std::ranges::equal(chunks[position], truth[position]);
    };
    count_wrong();
    for (const Positions& erased : erasure_patterns(code.chunk_count(), most)) {
      for (const int position : erased) std::ranges::fill(chunks[position], std::uint8_t{0});
      code.decode(*code.plan(erased, erased), chunks.pointers(), chunks.chunk_size());
    }
    count_wrong();
    for (int lost = 0; code.repair() != nullptr && lost < code.chunk_count(); lost++) checked_reads(code, truth, lost);
  }
}

/// During its life, only the pages of `chunks` that were used last are accessible. Calls `at_access`, in a signal handler, at each
/// access to another page.
class PageByPage {
 public:
  PageByPage(const ChunkSet& chunks, std::function<void()> at_access) : chunks_(chunks), at_access_(std::move(at_access)) {
    active = this;
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t* information, void*) {
      active->open(static_cast<std::uint8_t*>(information->si_addr));
    };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &before_);
    protect_all(PROT_NONE);
  }
  ~PageByPage() {
    protect_all(PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before_, nullptr);
  }

 private:
  void open(std::uint8_t* address) {
    const auto has = [&](const std::uint8_t* chunk) { return chunk <= address && address < chunk + chunks_.chunk_size(); };
    if (std::ranges::none_of(chunks_.pointers(), has)) return static_cast<void>(sigaction(SIGSEGV, &before_, nullptr));  // a crash
    const std::lock_guard lock(mutex_);  // a code may have threads of its own
    std::uint8_t* const page = address - reinterpret_cast<std::uintptr_t>(address) % FencedMemory::page_size();
    std::uint8_t* const oldest = std::exchange(open_[next_++ % open_.size()], page);
    if (oldest != nullptr) mprotect(oldest, FencedMemory::page_size(), PROT_NONE);
    mprotect(page, FencedMemory::page_size(), PROT_READ | PROT_WRITE);
    at_access_();
  }

  void protect_all(int protection) {
    for (std::uint8_t* const chunk : chunks_.pointers()) mprotect(chunk, chunks_.chunk_size(), protection);
  }

  static inline PageByPage* active = nullptr;
  const ChunkSet& chunks_;
  std::function<void()> at_access_;
  struct sigaction before_ {};
  std::mutex mutex_;
  std::array<std::uint8_t*, 4> open_{};  // an instruction can access two pages in each of two chunks
  std::size_t next_ = 0;
};

}  // namespace

void check_parity_delta(const ErasureCode& code, int most) {
  const std::size_t granularity = code.parity_delta()->granularity();
  const std::size_t k = static_cast<std::size_t>(code.data_chunk_count()), chunk_size = code.chunk_size(chunk_bytes * k);
  const std::vector<std::uint8_t> object = random_object(chunk_size * k);
  ASSERT_EQ(chunk_size % granularity, 0u);
  std::vector<Positions> sets = erasure_patterns(code.data_chunk_count(), most);
  sets.emplace_back();
  for (const Positions& changed : sets) {
    for (const Piece& piece : pieces) {
      const std::size_t offset = piece.first_multiple * granularity;
      if (offset >= chunk_size) continue;
      const std::size_t size = piece.multiples == 0 ? chunk_size - offset : piece.multiples * granularity;
      if (offset + size > chunk_size) continue;
      for (const std::size_t skew : {std::size_t{0}, std::size_t{5}, chunk_alignment_bytes - size % chunk_alignment_bytes}) {
        SCOPED_TRACE(testing::PrintToString(changed) + " offset " + std::to_string(offset) + " size " + std::to_string(size) +
                     " skew " + std::to_string(skew));
        check_update(code, object, changed, offset, size, skew);
      }
    }
  }
}

void check_large_parity_delta(const ErasureCode& code, std::size_t size) {
  const std::size_t chunk_size = code.chunk_size(size);
  Positions all(index(code.data_chunk_count()));
  const std::vector<std::uint8_t> object = random_object(chunk_size * all.size());
  std::iota(all.begin(), all.end(), 0);
  for (const Positions& changed : {Positions{0}, Positions{all.back()}, all}) {
    SCOPED_TRACE(testing::PrintToString(changed) + " of " + std::to_string(size) + " bytes");
    check_update(code, object, changed, 0, chunk_size, 0);
  }
}

void check_two_threads(const ErasureCode& code, int most) {
  const std::vector<std::uint8_t> objects[] = {random_object(60'000), random_object(20'000)};
  const ChunkSet truths[] = {encoded(code, objects[0]), encoded(code, objects[1])};
  std::atomic<int> wrong = 0;
  std::thread other([&] { work(code, most, objects[1], truths[1], wrong); });
  work(code, most, objects[0], truths[0], wrong);
  other.join();
  EXPECT_EQ(wrong, 0);
}

void check_interleaved_threads(const ErasureCode& code, std::size_t size) {
  std::vector<std::uint8_t> object = random_object(size);
  const ChunkSet truth = encoded(code, object);
  if (truth.chunk_size() % FencedMemory::page_size() != 0) return;
  ChunkSet ours = encoded(code, object);
  std::ranges::reverse(object);
  const ChunkSet other_truth = encoded(code, object);
  ChunkSet theirs = encoded(code, object);
  const auto plan = code.plan({0}, {0});
  using Operation = std::function<void(ChunkSet&)>;
  const Operation encode_all = [&](ChunkSet& chunks) { encode(code, chunks); };
  const Operation decode_first = [&](ChunkSet& chunks) {
    std::ranges::fill(chunks[0], std::uint8_t{0});
    code.decode(*plan, chunks.pointers(), chunks.chunk_size());
  };
  for (const Operation& operate : {encode_all, decode_first}) {
    std::counting_semaphore<> begin(0), end(0);
    std::atomic<bool> is_last = false;
    std::thread other([&] {
      for (begin.acquire(); !is_last; begin.acquire()) {
        operate(theirs);
        expect_same(theirs, other_truth);
        end.release();
      }
    });
    int accesses = 0, stride = 0;  // 0: only counts the accesses
    bool meet = true;              // not if the other thread waits for this one, which a lock in the code may cause
    const auto at_access = [&] {
      accesses++;
      if (stride == 0 || accesses % stride != 0 || !meet) return;
      begin.release();
      meet = end.try_acquire_for(std::chrono::seconds(1));
    };
    for (const int stops : {0, 500}) {
      if (stops > 0) stride = accesses / stops + 1;
      {
        const PageByPage pages(ours, at_access);
        operate(ours);
      }
      expect_same(ours, truth);
    }
    is_last = true;
    begin.release();
    other.join();
  }
}

const std::vector<Profiled>& every_technique() {
  static const std::vector<Profiled> profiles = profiles_of({
#ifdef ECBENCH_SIMD
      {"simd",
       {"technique=reed_sol_van k=6 m=3", "technique=cauchy k=6 m=6 store=streaming", "technique=cauchy k=32 m=32 transform=fft",
        "technique=vandermonde k=8 m=4 transform=fft", "technique=leopard_gf8 k=10 m=4 transform=fft",
        "technique=reed_sol_r6_op k=6", "technique=cauchy_orig k=6 m=3 packetsize=64",
        "technique=cauchy_good k=6 m=3 packetsize=65", "technique=liberation k=6 packetsize=64",
        "technique=blaum_roth k=6 w=6 packetsize=64", "technique=liber8tion k=6 packetsize=64"}},
      {"shec", {"technique=multiple k=6 m=4 c=3 backend=simd"}},
      {"lrc", {"k=6 m=2 l=4 backend=simd"}},
      {"clay", {"k=4 m=3 d=5 backend=simd"}},
#endif
      {"example", {""}},
      {"isa", {"technique=reed_sol_van k=6 m=1", "technique=reed_sol_van k=6 m=3", "technique=cauchy k=6 m=3 mapping=_DD_DD_DD"}},
      {"jerasure",
       {"technique=reed_sol_van k=6 m=3", "technique=reed_sol_van k=6 m=3 w=16 mapping=_DD_DD_DD",
        "technique=reed_sol_van k=6 m=3 w=32", "technique=reed_sol_r6_op k=6", "technique=reed_sol_r6_op k=6 w=16",
        "technique=reed_sol_r6_op k=6 w=32", "technique=cauchy_orig k=6 m=3 packetsize=64",
        "technique=cauchy_good k=6 m=3 packetsize=65", "technique=liberation k=6 packetsize=64",
        "technique=blaum_roth k=6 w=6 packetsize=64", "technique=liber8tion k=6 packetsize=64"}},
      {"shec",
       {"technique=multiple k=6 m=4 c=3", "technique=multiple k=6 m=4 c=3 backend=isa", "technique=single k=6 m=3 l=4 w=16",
        "technique=single k=6 m=3 w=32", "k=6 m=4 c=2 w=16"}},
      {"replication", {"size=3"}},
      {"lrc",
       {"k=6 m=2 l=4", "k=6 m=2 l=4 backend=isa", "k=8 m=4 l=3",
        R"(mapping=DDDDDD___ layers=[["DDDDDDcc_","technique=cauchy_good,packetsize=64"],["DDD_____c","plugin=isa"]])"}},
      {"clay",
       {"k=4 m=2 d=5", "k=4 m=3 d=5 scalar_mds=isa", "k=4 m=2 technique=cauchy_good", "k=6 m=3 d=7", "k=4 m=2 d=4",
        "k=6 m=4 scalar_mds=shec", "k=6 m=2 technique=liber8tion"}},
      {"rs-erasure", {"k=6 m=3"}},
      {"rs-simd", {"k=6 m=3"}},
      {"rusty_erasure", {"technique=reed_sol_van k=6 m=3", "technique=cauchy k=6 m=3"}},
      {"klauspost",
       {"technique=vandermonde k=6 m=3", "technique=cauchy k=6 m=3", "technique=par1 k=6 m=3", "technique=leopard_gf8 k=6 m=3",
        "technique=leopard_gf16 k=6 m=3"}}});
  return profiles;
}

void each_technique(const std::function<void(const Profiled&, const ErasureCode&)>& check) {
  for (const Profiled& profiled : every_technique()) {
    if (!is_built(profiled.plugin)) continue;
    SCOPED_TRACE(testing::PrintToString(profiled));
    check(profiled, *make_code(profiled.plugin, profiled.parameters));
  }
}

bool is_built(const std::string& plugin) { return std::filesystem::exists(registry().path_of(plugin)); }

void check_partial_wishes(const ErasureCode& code) {
  const ChunkSet truth = encoded(code, random_object(4000));
  for (const Positions& erased : erasure_patterns(code.chunk_count(), code.coding_chunk_count())) {
    for (const int wanted : erased) check_decode(code, truth, erased, {wanted});
  }
}

}  // namespace ecbench::test
