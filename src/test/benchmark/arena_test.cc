#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/error.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

/// A file descriptor that is closed at the end of the scope.
struct Descriptor {
  explicit Descriptor(int a_number) : number(a_number) {}
  ~Descriptor() { close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

int memory(unsigned flags = 0) { return memfd_create("arena of a test", flags); }

std::size_t size_of(int descriptor) {
  struct stat status {};
  fstat(descriptor, &status);
  return static_cast<std::size_t>(status.st_size);
}

TEST(Arena, TwoArenasOnTheSameMemoryShareEveryByte) {
  const Descriptor shared(memory());
  Arena one(shared.number, 10000);
  Arena other(shared.number, 10000);
  EXPECT_EQ(one.made_before(), 0u);
  EXPECT_EQ(other.made_before(), 1u);
  std::uint8_t* first = one.take(5000);
  std::uint8_t* second = one.take(4096);
  std::uint8_t* first_again = other.take(5000);
  std::uint8_t* second_again = other.take(4096);
  ASSERT_NE(first, first_again);
  first[4999] = 7;
  second_again[0] = 9;
  EXPECT_EQ(first_again[4999], 7);
  EXPECT_EQ(second[0], 9);
}

TEST(Arena, GrowsTheMemoryAsNeededAndNeverShrinksIt) {
  const Descriptor shared(memory());
  { const Arena arena(shared.number, 100); }
  EXPECT_EQ(size_of(shared.number), 2 * 4096u);
  const Arena arena(shared.number, 8192);
  EXPECT_EQ(arena.size_bytes(), 3 * 4096u);
  EXPECT_EQ(size_of(shared.number), 3 * 4096u);
  const Arena smaller(shared.number, 1);
  EXPECT_EQ(size_of(shared.number), 3 * 4096u);
}

TEST(Arena, PiecesBeginAtPagesAndDoNotOverlap) {
  const Descriptor shared(memory());
  Arena arena(shared.number, std::size_t{3} * 4096);
  std::uint8_t* first = arena.take(1);
  std::uint8_t* second = arena.take(4097);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0u);
  EXPECT_EQ(second - first, 4096);
  EXPECT_THROW(arena.take(1), Error);
}

TEST(Arena, DoesNotWriteToAFileThatHasAName) {
  const test::TemporaryFolder folder;
  folder.write("file", "precious");
  const Descriptor file(open((folder / "file").c_str(), O_RDWR));
  EXPECT_THROW(Arena(file.number, 100), Error);
  EXPECT_EQ(test::content_of(folder / "file"), "precious");
}

TEST(Arena, RefusesADescriptorThatCannotBeSharedAndNamesItsNumber) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor one_end(ends[0]), other_end(ends[1]);
  const Descriptor sealed(memory(MFD_ALLOW_SEALING));
  ASSERT_EQ(fcntl(sealed.number, F_ADD_SEALS, F_SEAL_GROW), 0);
  for (const int descriptor : {99999, ends[0], sealed.number}) {
    const std::string message = test::thrown_by([&] { const Arena arena(descriptor, 100); }).what();
    EXPECT_NE(message.find("--arena " + std::to_string(descriptor)), std::string::npos) << message;
  }
}

TEST(ChunkBuffers, AreAdjacentInAnArena) {
  const Descriptor shared(memory());
  const std::size_t bytes = ChunkBuffers::memory_bytes(3, 5000);
  Arena one(shared.number, 2 * bytes);
  Arena other(shared.number, 2 * bytes);
  const ChunkBuffers first(3, 5000, &one), second(3, 5000, &one);
  const ChunkBuffers first_again(3, 5000, &other), second_again(3, 5000, &other);
  for (int position = 0; position < 3; position++) {
    std::memset(first[position], position + 1, 5000);
    std::memset(second_again[position], position + 11, 5000);
  }
  for (int position = 0; position < 3; position++) {
    for (const std::size_t at : {0u, 4999u}) {
      EXPECT_EQ(first_again[position][at], position + 1);
      EXPECT_EQ(second[position][at], position + 11);
    }
  }
}

}  // namespace
}  // namespace ecbench
