// Profiles, and suggestions for misspelt names.

#include "erasure_code/profile.h"

#include <gtest/gtest.h>

#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

Profile profile(const std::vector<std::string>& key_values) {
  Profile result;
  for (const std::string& key_value : key_values) result.add(key_value);
  return result;
}

using test::message_of;

const std::vector<Parameter> parameters = {
    {.name = "k", .default_value = "7", .minimum = 2, .maximum = 20, .why = "of a test", .meaning = ""},
    {.name = "fast", .type = Parameter::Type::flag, .default_value = "false", .why = "", .meaning = ""},
    {.name = "layers", .type = Parameter::Type::text, .default_value = "", .why = "", .meaning = ""},
};

TEST(Profile, SplitsAtTheFirstEqualsSignAndAcceptsThePrefixErasureCode) {
  EXPECT_EQ(profile({"erasure-code-k=6", "erasure-code-packetsize=8", "layers=[[\"DDc\",\"k=2\"]]"}).values(),
            (std::map<std::string, std::string>{{"k", "6"}, {"layers", "[[\"DDc\",\"k=2\"]]"}, {"packetsize", "8"}}));
  for (const char* text : {"k", "", "=4", "erasure-code-=4"}) EXPECT_THROW(profile({text}), Error) << text;
}

TEST(Profile, ALaterValueReplacesAnEarlierOneWithAWarning) {
  Profile given;
  EXPECT_FALSE(given.add("k=4"));
  EXPECT_FALSE(given.add("k=4")) << "a repeated equal value is not reported";
  EXPECT_TRUE(given.add("erasure-code-k=5"));
  EXPECT_EQ(given.text("k"), "5");
}

TEST(Profile, AnEmptyOrAbsentValueIsTheDefault) {
  Profile given = profile({"k="});
  EXPECT_TRUE(given.complete(parameters).empty());
  EXPECT_EQ(given.values(), (std::map<std::string, std::string>{{"fast", "false"}, {"k", "7"}, {"layers", ""}}));
  EXPECT_EQ(given.integer("k"), 7);
  EXPECT_FALSE(given.flag("fast"));
}

TEST(Profile, ANumberIsWholeAndInItsRangeOrOneOfTheChoices) {
  const std::vector<Parameter> word_size = {{.name = "k", .default_value = "8", .choices = {8, 16, 32}, .why = "of a test"}};
  const auto refusal = [](const std::string& text, const std::vector<Parameter>& allowed) {
    Profile given = profile({"k=" + text});
    return message_of([&] { given.complete(allowed); });
  };
  for (const char* good : {"2", "20"}) EXPECT_EQ(refusal(good, parameters), "");
  for (const char* good : {"8", "16", "32"}) EXPECT_EQ(refusal(good, word_size), "");
  for (const std::string bad : {"1", "21", "-3"}) {
    EXPECT_EQ(refusal(bad, parameters), "k=" + bad + " is not allowed: use 2 to 20, because of a test");
  }
  for (const std::string bad : {"9", "7", "64", "-8"}) {
    EXPECT_EQ(refusal(bad, word_size), "k=" + bad + " is not allowed: use 8, 16 or 32, because of a test");
  }
  for (const std::string bad : {"x", "4x", "4.5", " 4", "4 ", "0x4", "+", "-", "1e1", "99999999999999999999"}) {
    EXPECT_TRUE(refusal(bad, parameters).starts_with("k=" + bad + " is not allowed: ")) << bad;
  }
}

TEST(Profile, AFlagIsTrueOrYesOrFalseOrNo) {
  for (const auto& [text, value] : std::map<std::string, bool>{{"true", true}, {"yes", true}, {"false", false}, {"no", false}}) {
    Profile given = profile({"fast=" + text});
    given.complete(parameters);
    EXPECT_EQ(given.flag("fast"), value) << text;
  }
  Profile given = profile({"fast=maybe"});
  EXPECT_TRUE(message_of([&] { given.complete(parameters); }).starts_with("fast=maybe is not allowed: "));
}

TEST(Profile, NamesUnknownKeysExceptKeysForPlacement) {
  Profile given =
      profile({"k=4", "typo=1", "crush-root=default", "ruleset-failure-domain=host", "stripe_unit=4K", "directory=/usr"});
  EXPECT_EQ(given.complete(parameters), std::vector<std::string>({"typo"}));
  EXPECT_FALSE(given.has("typo"));
  EXPECT_FALSE(given.has("crush-root"));
  Profile text = profile({"layers=[[\"DDc\",\"plugin=isa,technique=cauchy\"],[\"D,c\",\"a=1, b=2\"]]"});
  EXPECT_TRUE(text.complete(parameters).empty()) << "a text may contain parameters";
}

const std::vector<std::string> keys{"k", "m", "w", "packetsize", "technique", "jerasure-per-chunk-alignment", "plugin"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  for (const auto& [given, meant] :
       {std::pair("packet_size", "packetsize"), std::pair("packet-size", "packetsize"), std::pair("PacketSize", "packetsize"),
        std::pair("pktsize", "packetsize"), std::pair("tecnique", "technique"), std::pair("tehcnique", "technique"),
        std::pair("K", "k"), std::pair("per-chunk-alignment", "jerasure-per-chunk-alignment"), std::pair("plugins", "plugin")}) {
    EXPECT_EQ(nearest(given, keys), meant) << given;
  }
}

TEST(Nearest, IsTheNearestWordAndNoDistantOne) {
  for (const std::string given : {"n", "kk", "colour", "size", "_", ""}) EXPECT_EQ(nearest(given, keys), "") << given;
  EXPECT_EQ(nearest(std::string(100000, 'k'), keys), "");
  EXPECT_EQ(nearest("k", {}), "");
  EXPECT_EQ(nearest("erasure", {"erasures-generation", "erased", "erasures"}), "erasures");
}

}  // namespace
}  // namespace ecbench
