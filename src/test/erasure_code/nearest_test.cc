// Tests nearest(), which finds the word that a message suggests with "did you mean".

#include "erasure_code/nearest.h"

#include <gtest/gtest.h>

namespace ecbench {
namespace {

const std::vector<std::string> keys{"k", "m", "w", "packetsize", "technique", "jerasure-per-chunk-alignment", "plugin"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  for (const auto& [given, meant] : std::vector<std::pair<std::string, std::string>>{{"packet_size", "packetsize"},
                                                                                     {"packet-size", "packetsize"},
                                                                                     {"PacketSize", "packetsize"},
                                                                                     {"pktsize", "packetsize"},
                                                                                     {"tecnique", "technique"},
                                                                                     {"tehcnique", "technique"},
                                                                                     {"K", "k"},
                                                                                     {"per-chunk-alignment", keys[5]},
                                                                                     {"plugins", "plugin"}}) {
    EXPECT_EQ(nearest(given, keys), meant) << given;
  }
}

TEST(Nearest, ProposesNoDistantWord) {
  for (const std::string& given : {std::string("n"), std::string("kk"), std::string("colour"), std::string("size"),
                                   std::string("_"), std::string(), std::string(100000, 'k')}) {
    EXPECT_EQ(nearest(given, keys), "") << given.substr(0, 20);
  }
  EXPECT_EQ(nearest("k", {}), "");
}

TEST(Nearest, PrefersTheNearestWord) {
  EXPECT_EQ(nearest("erasure", {"erasures-generation", "erased", "erasures"}), "erasures");
}

}  // namespace
}  // namespace ecbench
