// The plugin `shec`: Fujitsu's SHEC, with the same parameters and bytes as in Ceph. In addition, the plugin has the parameter l of
// the SHEC paper (shec_code.h). A profile can give l instead of c.

#include "erasure_code/plugin.h"

#include "erasure_code/dispatch.h"
#include "plugins/shec/shec_code.h"

namespace ecbench::shec {
namespace {

constexpr int data_limit = 12;
constexpr int chunk_limit = 20;
constexpr const char* default_estimator = "2";
const std::string search_reason =
    "ecbench tries every set of coding chunks to find the recovery that reads the fewest chunks; Ceph has the same limit";

std::vector<Parameter> parameters(const Parameter& estimator) {
  return {number_parameter("k", "4", 1, data_limit, search_reason, "data chunks. k+m is at most 20"),
          number_parameter("m", "3", 1, chunk_limit / 2, "m is at most k, and k+m is at most " + std::to_string(chunk_limit),
                           "coding chunks, at most k"),
          estimator,
          {.name = "w",
           .default_value = "8",
           .choices = {8, 16, 32},
           .why = "the kernels of the backends compute only in GF(2^8), GF(2^16) and GF(2^32)",
           .meaning = "bits of a field element"},
          text_parameter("backend", "jerasure",
                         "the plugin whose kernels compute the chunks: jerasure (GF-Complete), isa (ISA-L, only with w=8), ... The "
                         "bytes are the same with every backend. Ceph does not have this parameter")};
}

Parameter durability_estimator(const std::string& default_value, const std::string& more) {
  return number_parameter(
      "c", default_value, 1, chunk_limit / 2, "c is at most m, and m is at most " + std::to_string(chunk_limit / 2),
      "the number of coding chunks that cover each data chunk, at most m. Every loss of c chunks can be recovered, except "
      "for a few losses with k >= 10, m >= 7 and c=m-1. If c+1 to m chunks are lost, only some losses can be recovered. If "
      "c < m, a single lost data chunk is rebuilt from fewer than k chunks" +
          more);
}

Parameter shingle_length() {
  return number_parameter(
      "l", "", 1, data_limit, "l is at most k, and k is at most " + std::to_string(data_limit),
      "the number of data chunks that each coding chunk covers, at most k. Give either l or c. The SHEC paper also calls "
      "this number l; c is then m*l/k. Coding chunk r (0 to m-1) covers l consecutive data chunks. The first of them has "
      "the number floor(r*k/m), and data chunk k-1 is followed by data chunk 0. Each data chunk must be covered by at "
      "least one coding chunk. Ceph does not have this parameter");
}

/// m <= k and k+m <= 20.
void check_counts(const Profile& profile) {
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  if (m > k) {
    refuse(profile, "m", "at most " + profile.text("k"), "m must not be larger than k, as in Ceph");
  }
  if (k + m > chunk_limit) {
    refuse(profile, "k", "at most " + std::to_string(chunk_limit - m),
           "m is " + profile.text("m") + " and k+m must be at most " + std::to_string(chunk_limit) + ": " + search_reason);
  }
}

int checked_estimator(const Profile& profile) {
  const int c = profile.integer("c");
  if (c > profile.integer("m")) {
    refuse(profile, "c", "at most " + profile.text("m"),
           "m is " + profile.text("m") + ", and m coding chunks cannot replace more than m lost chunks");
  }
  return c;
}

int checked_length(const Profile& profile) {
  if (!profile.text("c").empty()) {
    refuse(profile, "l", "either c or l, not both", "each of them defines how many data chunks a coding chunk covers");
  }
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  const int l = profile.integer("l");
  const int longest_step = (k + m - 1) / m;
  if (l > k) refuse(profile, "l", "at most " + profile.text("k"), "a coding chunk cannot cover more than the k data chunks");
  if (l < longest_step) {
    refuse(profile, "l", "at least " + std::to_string(longest_step),
           "with k=" + profile.text("k") + ", m=" + profile.text("m") +
               " and a smaller l, at least one data chunk would not be covered by a coding chunk");
  }
  return l;
}

std::unique_ptr<ErasureCode> make_multiple(const Profile& profile, const Context& context) {
  check_counts(profile);
  const Shingles shingles = multiple_shingles(profile.integer("k"), profile.integer("m"), checked_estimator(profile));
  return make_shec_code(shingles, profile.integer("w"), context.others.products(profile.text("backend")));
}

std::unique_ptr<ErasureCode> make_single(const Profile& given, const Context& context) {
  check_counts(given);
  Profile profile = given;
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  Shingles shingles;
  if (profile.text("l").empty()) {
    if (profile.text("c").empty()) profile.set("c", default_estimator);
    shingles = single_shingles(k, m, checked_estimator(profile));
  } else {
    shingles = shingles_of_length(k, m, checked_length(profile));
  }
  return make_shec_code(shingles, profile.integer("w"), context.others.products(profile.text("backend")));
}

const Plugin& plugin() {
  static const Plugin plugin = [] {
    std::vector<Parameter> of_single =
        parameters(durability_estimator("", ". If l is not given, the default is " + std::string(default_estimator)));
    of_single.push_back(shingle_length());
    return Plugin{
        .name = "shec",
        .summary = "shingled erasure code: one lost chunk is rebuilt from few other chunks",
        .default_technique = "multiple",
        .techniques = {{.name = "multiple",
                        .summary = "the code has one or two sets of coding chunks. If there are two sets, the coding chunks of one "
                                   "set cover more data chunks than the coding chunks of the other set. The sets are chosen so "
                                   "that a repair of one chunk reads as few chunks as possible on average",
                        .parameters = parameters(durability_estimator(default_estimator, "")),
                        .make = make_multiple},
                       {.name = "single",
                        .summary = "all coding chunks cover about the same number of data chunks",
                        .parameters = of_single,
                        .make = make_single}},
        .dispatch_levels = every_dispatch_level(),
    };
  }();
  return plugin;
}

}  // namespace
}  // namespace ecbench::shec

ECBENCH_PLUGIN(ecbench::shec::plugin())
