#include "benchmark/measurement/plan_time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "benchmark/sampling/statistics.h"
#include "benchmark/sampling/team.h"

namespace ecbench {
namespace {

constexpr std::size_t most_requests = 64;
constexpr double plan_batch_seconds = 100e-6;
constexpr double total_seconds = 20e-3;
constexpr int most_batches = 101;
constexpr std::uint64_t most_rounds = 4096;  // an upper bound, so that the loop ends even if the clock does not advance

/// At evenly spaced indices.
std::vector<PlanRequest> spread(const std::vector<PlanRequest>& requests, std::size_t count) {
  std::vector<PlanRequest> chosen;
  for (std::size_t i = 0; i < count; i++) chosen.push_back(requests[i * requests.size() / count]);
  return chosen;
}

class PlanTimer {
 public:
  PlanTimer(const ErasureCode& code, const std::function<double()>& now) : code_(code), now_(now), begin_(now()) {}

  /// Mean seconds of one plan; a round makes the plan of each request once.
  double seconds(const std::vector<PlanRequest>& requests, std::uint64_t rounds) const {
    const double begin = now_();
    for (std::uint64_t round = 0; round < rounds; round++) {
      for (const PlanRequest& request : requests) code_.plan_uncached(request.erased, request.wanted);
    }
    return (now_() - begin) / static_cast<double>(rounds * requests.size());
  }

  bool has_time() const { return now_() - begin_ < total_seconds; }

 private:
  const ErasureCode& code_;
  const std::function<double()>& now_;
  double begin_;
};

double median_plan_ns(const PlanTimer& timer, const std::vector<PlanRequest>& requests) {
  // The first plan may be slow (cold caches). It is only used to choose `count`, unless no time is left.
  const double first = timer.seconds({requests.front()}, 1);
  if (!timer.has_time()) return first * 1e9;
  const double affordable = total_seconds / 4 / std::max(first, 1e-9);
  const auto count = static_cast<std::size_t>(std::clamp(affordable, 1.0, double{most_requests}));
  const std::vector<PlanRequest> chosen = spread(requests, std::min(count, requests.size()));
  const auto plans = static_cast<double>(chosen.size());
  std::uint64_t rounds = 1;
  while (rounds < most_rounds && timer.seconds(chosen, rounds) * plans * static_cast<double>(rounds) < plan_batch_seconds)
    rounds *= 2;
  std::vector<double> ns;
  do ns.push_back(timer.seconds(chosen, rounds) * 1e9);
  while (timer.has_time() && ns.size() < most_batches);
  return median(ns);
}

}  // namespace

std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now) {
  if (requests.empty()) return {};
  Team team(1, std::vector<int>(cpus.begin(), cpus.begin() + std::min<std::ptrdiff_t>(std::ssize(cpus), 1)));
  double result = 0;
  team.run([&](int) { result = median_plan_ns(PlanTimer(code, now), requests); });
  return result;
}

std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus) {
  return plan_ns(code, requests, cpus,
                 [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); });
}

}  // namespace ecbench
