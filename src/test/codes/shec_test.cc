// Which losses SHEC recovers, and which chunks it reads, by linear algebra.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/linear_algebra.h"

namespace ecbench::test {
namespace {

int value_of(const std::string& parameters, const std::string& name, int otherwise) {
  const std::string text = parsed_profile(parameters).text(name);
  return text.empty() ? otherwise : std::stoi(text);
}

/// The parameters of all profiles that Ceph allows with at most `most` chunks. `more` is added to them.
std::vector<std::string> profiles_of_up_to(int most, const std::string& more = "") {
  std::vector<std::string> profiles;
  for (int k = 1; k <= std::min(12, most - 1); k++) {
    for (int m = 1; m <= k && k + m <= most; m++) {
      for (int c = 1; c <= m; c++) {
        for (const std::string technique : {"technique=single", "technique=multiple"}) {
          profiles.push_back(technique + shape(k, m) + " c=" + std::to_string(c) + more);
        }
      }
    }
  }
  return profiles;
}

/// Only losses of more than c chunks may be refused.
void check_every_loss(const std::string& parameters, std::size_t object_size, std::optional<int> c = {}) {
  SCOPED_TRACE(parameters);
  const auto code = make_code("shec", parameters);
  const int w = value_of(parameters, "w", 8);
  const Rows rows = generator(*code, w);
  const ChunkSet truth = encoded(*code, random_object(object_size));
  for (const Positions& erased : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
    for (const Positions& wanted : {erased, data_positions(*code), Positions{erased.back()}}) {
      Positions rebuilt;
      std::ranges::set_intersection(erased, wanted, std::back_inserter(rebuilt));
      if (determine(rows, without(*code, erased), rebuilt, w)) {
        check_decode(*code, truth, erased, wanted);
      } else {
        EXPECT_TRUE(is_refused(*code, erased, wanted));
        EXPECT_GT(static_cast<int>(erased.size()), c ? *c : value_of(parameters, "c", 0));
      }
    }
  }
}

TEST(Shec, EveryRecoverableLossAndEveryLossOfCChunksIsRecovered) {
  for (const std::string& parameters : profiles_of_up_to(9)) check_every_loss(parameters, 300);
  for (const std::string& parameters : profiles_of_up_to(8, " backend=isa")) check_every_loss(parameters, 300);
}

TEST(Shec, EveryRecoverableLossInLargerFieldsIsRecovered) {
  for (const std::string w : {" w=16", " w=32"}) {
    for (const std::string& parameters : profiles_of_up_to(7, w)) check_every_loss(parameters, 1000);
    for (const std::string parameters : {"k=6 m=4 c=3", "technique=single k=6 m=4 c=2"}) check_every_loss(parameters + w, 1000);
  }
}

TEST(Shec, EveryRecoverableLossOfTwelveChunksIsRecovered) {
  for (const char* parameters :
       {"k=8 m=4 c=3", "technique=single k=8 m=4 c=3", "k=8 m=4 c=2", "k=9 m=3 c=2", "k=7 m=5 c=3", "k=6 m=6 c=3 backend=isa"}) {
    check_every_loss(parameters, 300);
  }
}

// c is m*l/k, rounded down.
TEST(Shec, EveryRecoverableLossWithAGivenShingleLengthIsRecovered) {
  for (int k = 2; k <= 6; k++) {
    for (int m = 1; m <= k && k + m <= 9; m++) {
      for (int l = (k + m - 1) / m; l <= k; l++) {
        check_every_loss("technique=single" + shape(k, m) + " l=" + std::to_string(l), 300, m * l / k);
      }
    }
  }
}

TEST(Shec, LGivesTheMatrixOfCIfCIsAWholeNumber) {
  for (const auto& [by_l, by_c] :
       std::map<std::string, std::string>{{"k=4 m=2 l=4", "k=4 m=2 c=2"}, {"k=6 m=4 l=3", "k=6 m=4 c=2"}}) {
    const auto rows = [](const std::string& parameters) {
      return generator(*make_code("shec", "technique=single " + parameters), 8);
    };
    EXPECT_EQ(rows(by_l), rows(by_c));
  }
}

TEST(Shec, BothBackendsGiveTheSameBytes) {
  for (const std::string& parameters : profiles_of_up_to(20)) {
    if (value_of(parameters, "c", 0) % 2 == 0) continue;
    SCOPED_TRACE(parameters);
    const auto isa = make_code("shec", parameters + " backend=isa");
    expect_same(encoded(*isa, random_object(20011)), encoded(*make_code("shec", parameters), random_object(20011)));
  }
}

// A code that is built on shec may pass parts of chunks to shec.
TEST(Shec, AcceptsChunksOfAnyWholeNumberOfElements) {
  for (const auto& [parameters, element_size] :
       std::map<std::string, std::size_t>{{"w=8", 1}, {"w=16", 2}, {"w=32", 4}, {"backend=isa", 1}}) {
    const auto code = make_code("shec", parameters);
    for (const std::size_t elements : {1u, 3u, 15u, 17u, 33u, 1001u, 8193u}) {
      SCOPED_TRACE(parameters + " " + std::to_string(elements));
      const std::size_t size = elements * element_size;
      ChunkSet chunks = encoded(*code, random_object(4 * code->chunk_size(4 * size)));
      ChunkSet pieces(code->chunk_count(), size);
      for (const int position : all_positions(*code)) std::ranges::copy(chunks[position].first(size), pieces[position].begin());
      for (const int lost : {0, 2, 4, 6}) {
        std::ranges::fill(pieces[lost], std::uint8_t{0});
        code->decode(*code->plan({lost}, {lost}), pieces.pointers(), size);
        EXPECT_TRUE(std::ranges::equal(pieces[lost], chunks[lost].first(size))) << "lost " << lost;
      }
      EXPECT_TRUE(pieces.guards_are_whole());
    }
    if (element_size > 1) {
      ChunkSet odd(code->chunk_count(), element_size + 1);
      EXPECT_THROW(code->decode(*code->plan({0}, {0}), odd.pointers(), element_size + 1), Error);
    }
  }
}

TEST(Shec, ReadsTheSmallestSetForEveryLoss) {
  for (const char* parameters : {"k=4 m=3 c=2", "technique=single k=4 m=3 c=2", "k=5 m=3 c=2", "technique=single k=5 m=4 c=2",
                                 "k=4 m=4 c=3", "technique=single k=5 m=3 l=3"}) {
    SCOPED_TRACE(parameters);
    const auto code = make_code("shec", parameters);
    const Rows rows = generator(*code, 8);
    for (const Positions& erased : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
      for (const Positions& wanted : {erased, Positions{erased.front()}, Positions{erased.back()}}) {
        if (is_refused(*code, erased, wanted)) continue;
        const auto reads = static_cast<int>(code->plan_uncached(erased, wanted)->reads.size());
        EXPECT_EQ(reads, fewest_reads(rows, erased, wanted)) << "first " << erased.front() << " of " << erased.size();
      }
    }
  }
}

}  // namespace
}  // namespace ecbench::test
