#include "benchmark/pace/background.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "benchmark/objects/overwrites.h"
#include "benchmark/sampling/placements.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr double longest_sleep_ns = 20e6;  // between two checks of `stop`

}  // namespace

std::string text_of(const Pace& pace) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), pace.amount);
  return std::string(text.data(), end) + (pace.is_percent ? "%" : "");
}

std::string text_of(const Background& background) {
  return background.workload + (background.bytes_per_s ? "@" + std::to_string(*background.bytes_per_s) : "");
}

Point background_point(const Point& point) {
  const Background& background = *point.background;
  Point beside = point;
  beside.workload = background.workload;
  beside.changed_chunks = workload_named(background.workload).overwrites ? 1 : 0;
  beside.erasures = workload_named(background.workload).loses_chunks() ? 1 : 0;
  beside.erased.clear();
  beside.generation = ErasureGeneration::random;
  beside.want = Want::all;
  beside.cache = CacheState::cold;
  beside.timing = Timing::kernel;
  beside.threads = static_cast<int>(background.cpus.size());
  beside.cpus = background.cpus;
  beside.pace.reset();
  beside.background.reset();
  return beside;
}

void check_background(const Point& point, const ErasureCode& code, std::size_t chunk_size_bytes) {
  const Point beside = background_point(point);
  try {
    if (workload_named(beside.workload).loses_chunks()) lost_chunks(code, beside);
    if (workload_named(beside.workload).overwrites) check_overwrite(code, beside, chunk_size_bytes);
  } catch (const Error& error) {
    throw Error("--background " + text_of(*point.background) + ": " + error.what(), error.kind());
  }
}

std::uint64_t run_background(const std::atomic<bool>& stop, const PaceClock& clock, double first_due_ns,
                             std::optional<double> interval_ns, const std::function<void(std::uint64_t)>& operate) {
  std::uint64_t number = 0;
  double due = first_due_ns;
  while (!stop) {
    const auto now = static_cast<double>(clock.now_ns());
    if (interval_ns && now < due) {
      clock.sleep_until_ns(static_cast<std::int64_t>(std::ceil(std::min(due, now + longest_sleep_ns))));
      continue;
    }
    operate(number++);
    due = std::max(due + interval_ns.value_or(0), static_cast<double>(clock.now_ns()));
  }
  return number;
}

BackgroundWork::BackgroundWork(const Point& point, const ErasureCode& code, std::span<const std::uint8_t> object)
    : point_(background_point(point)),
      settings_(*point.background),
      object_(std::make_unique<EncodedObject>(code, object, point.stripe_unit_bytes, repaired_chunks(code, point_),
                                              extras_of(workload_named(point_.workload), point_))),
      workload_(make_workload(point_, *object_)) {
  sched_getaffinity(0, sizeof(allowed_), &allowed_);
}

BackgroundWork::~BackgroundWork() {
  stop_ = true;
}

void BackgroundWork::start() {
  ended_ = std::async(std::launch::async, [this] { run(); });
  std::future<void> ready = ready_.get_future();
  while (ready.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    if (ended_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) ended_.get();  // throws
  }
  operations_ = 0;
  begin_ns_ = clock_.now_ns();
}

double BackgroundWork::stop() {
  const auto operations = static_cast<double>(operations_.load());
  const auto seconds = static_cast<double>(std::max<std::int64_t>(clock_.now_ns() - begin_ns_, 1)) * 1e-9;
  stop_ = true;
  ended_.get();
  return operations * bytes_per_operation() / seconds;
}

double BackgroundWork::bytes_per_operation() const {
  if (!workload_->repairs().empty()) return static_cast<double>(object_->chunks().chunk_size_bytes());
  const auto size = static_cast<double>(object_->object_size_bytes());
  return point_.changed_chunks == 0 ? size : size * point_.changed_chunks / object_->code().data_chunk_count();
}

void BackgroundWork::run() {
  sched_setaffinity(0, sizeof(allowed_), &allowed_);
  Team team(point_.threads, point_.cpus, "--background-cpu with " + std::to_string(point_.threads) + " CPUs");
  const PlacementPlan plan =
      plan_placements(point_, object_->footprint_bytes(), workload_named(point_.workload).objects_per_iteration);
  const Placements placements(*object_, point_.threads, 1, plan.objects_per_place);
  std::vector<std::uint64_t> done(static_cast<std::size_t>(point_.threads));
  const auto operate = [&](int thread, std::uint64_t number) {
    workload_->run(placements.objects(thread, 0), number, 1);
    operations_.fetch_add(1, std::memory_order_relaxed);
  };
  for (const auto& set : placements.sets()) workload_->poison_results(*set.front());
  std::optional<double> interval;
  if (settings_.bytes_per_s) interval = bytes_per_operation() * 1e9 / static_cast<double>(*settings_.bytes_per_s);
  const auto begin = static_cast<double>(clock_.now_ns());
  std::atomic<int> waiting = point_.threads;
  team.run([&](int thread) {
    wake_up_exactly();
    operate(thread, 0);
    if (--waiting == 0) ready_.set_value();
    done[static_cast<std::size_t>(thread)] = 1 + run_background(stop_, clock_, begin + interval.value_or(0) * thread,
                                                                interval ? std::optional(*interval * point_.threads) : std::nullopt,
                                                                [&](std::uint64_t number) { operate(thread, number + 1); });
  });
  team.run([&](int thread) {
    for (const EncodedObject* object : placements.objects(thread, 0)) workload_->check_results(*object);
    if (workload_named(point_.workload).is_reference_loop) return;
    workload_->prove_first(*placements.objects(thread, 0).front(), done[static_cast<std::size_t>(thread)]);
  });
}

}  // namespace ecbench
