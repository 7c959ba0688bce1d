// The techniques liberation, blaum_roth and liber8tion: RAID-6 by bit-matrices with few ones.

#include <liberation.h>

#include "erasure_code/mapping.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/packet_code.h"
#include "plugins/jerasure/padding.h"
#include "plugins/jerasure/parameters.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

using LibraryFunction = int* (*)(int k, int w);

// Where Ceph's table of primes ends.
constexpr int largest_prime = 257;
// w+1 is not prime, yet it is Ceph's default: what was stored with it must stay readable.
constexpr int tolerated_blaum_roth_w = 7;

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

Parameter word_size(const std::string& default_value, long minimum, long maximum, const std::string& why,
                    const std::string& meaning) {
  return {.name = "w",
          .default_value = default_value,
          .minimum = minimum,
          .maximum = maximum,
          .why = why,
          .meaning = "packets of a block; " + meaning};
}

Parameter whole_word_packet_size() {
  Parameter parameter = packet_size();
  parameter.minimum = 4;
  parameter.why = "packets are whole words of four bytes";
  parameter.meaning += "; a multiple of 4";
  return parameter;
}

std::unique_ptr<ErasureCode> make_code(const Profile& profile, LibraryFunction make_bit_matrix) {
  if (profile.integer("k") > profile.integer("w")) {
    refuse(profile, "k", "at most w=" + profile.text("w"), "each data chunk needs a rotation of the w packets of its own");
  }
  return make_packet_code(profile, object_padding_unit(block_size(profile)), [make_bit_matrix](int k, int, int w) {
    set_up_field(32);
    return LibraryMatrix(make_bit_matrix(k, w));
  });
}

void check_whole_words(const Profile& profile) {
  if (profile.integer("packetsize") % 4 != 0) refuse(profile, "packetsize", "a multiple of 4", whole_word_packet_size().why);
}

std::unique_ptr<ErasureCode> make_liberation(const Profile& profile, const Context&) {
  if (!is_prime(profile.integer("w"))) {
    refuse(profile, "w", "a prime from 3 to " + std::to_string(largest_prime), "the code recovers two chunks for primes alone");
  }
  check_whole_words(profile);
  return make_code(profile, liberation_coding_bitmatrix);
}

std::unique_ptr<ErasureCode> make_blaum_roth(const Profile& profile, const Context&) {
  const int w = profile.integer("w");
  if (!is_prime(w + 1) && w != tolerated_blaum_roth_w) {
    refuse(profile, "w", "w+1 must be a prime up to " + std::to_string(largest_prime) + ", or w=7",
           "the code recovers two chunks for primes alone (w=7 is Ceph's default and loses some)");
  }
  check_whole_words(profile);
  return make_code(profile, blaum_roth_coding_bitmatrix);
}

std::unique_ptr<ErasureCode> make_liber8tion(const Profile& profile, const Context&) {
  return make_code(profile, [](int k, int) { return liber8tion_coding_bitmatrix(k); });
}

}  // namespace

Technique liberation() {
  return {.name = "liberation",
          .summary = "RAID-6 by XORs: m=2, w a prime of at least k",
          .parameters = {data_chunks("2"), two_coding_chunks(),
                         word_size("7", 3, largest_prime, "Ceph knows the primes that far", "a prime of at least k"),
                         whole_word_packet_size(), mapping_parameter()},
          .make = make_liberation};
}

Technique blaum_roth() {
  return {.name = "blaum_roth",
          .summary = "RAID-6 by XORs: m=2, w+1 a prime, w at least k; the default w=7 cannot recover every pair from k=3 on",
          .parameters = {data_chunks("2"), two_coding_chunks(),
                         word_size("7", 4, largest_prime - 1, "w+1 must be a prime that Ceph knows",
                                   "w+1 is prime, or w=7; at least k"),
                         whole_word_packet_size(), mapping_parameter()},
          .make = make_blaum_roth};
}

Technique liber8tion() {
  return {
      .name = "liber8tion",
      .summary = "RAID-6 by XORs: m=2, w=8, k up to 8",
      .parameters = {data_chunks("2"), two_coding_chunks(), word_size("8", 8, 8, "the code is made for eight packets", "always 8"),
                     packet_size(), mapping_parameter()},
      .make = make_liber8tion};
}

}  // namespace ecbench::jerasure
