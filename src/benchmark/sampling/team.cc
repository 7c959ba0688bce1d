#include "benchmark/sampling/team.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#include <random>
#include <semaphore>
#include <system_error>
#include <thread>

#include "erasure_code/error.h"

namespace ecbench {

struct Turn {
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
  double cpu_seconds = 0;
  std::exception_ptr failure;
};

namespace {

using Clock = std::chrono::steady_clock;

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The resolution of a thread's CPU time: 10 ms if the kernel counts it only in timer ticks, otherwise much less than 1 ms.
double cpu_clock_step_seconds() {
  static const double step = [] {
    const double begin = thread_cpu_seconds();
    double now = begin;
    for (int reads = 0; now == begin && reads < 1'000'000; reads++) now = thread_cpu_seconds();
    return now - begin;
  }();
  return step;
}

bool is_in(int cpu, const cpu_set_t& set) {
  return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(cpu), &set);
}

/// check_cpus() has accepted the CPU.
void pin(pthread_t thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  const int error = pthread_setaffinity_np(thread, sizeof(set), &set);
  if (error == EINVAL) throw Error("CPU " + std::to_string(cpu) + " is no longer available to this process; give another CPU");
  if (error != 0)
    throw Error(std::string("this process may not select a CPU: sched_setaffinity is refused (") + std::strerror(error) +
                "), for example by the seccomp filter of a container; start it with --security-opt seccomp=unconfined");
}

Turn timed(const std::function<void(int)>& work, int thread) {
  Turn turn;
  const double cpu_begin = thread_cpu_seconds();
  turn.begin = Clock::now();
  try {
    work(thread);
  } catch (...) {
    turn.failure = std::current_exception();
  }
  turn.end = Clock::now();
  turn.cpu_seconds = thread_cpu_seconds() - cpu_begin;
  return turn;
}

Team::Times times_of(const std::vector<Turn>& turns) {
  const auto begin = std::ranges::min_element(turns, {}, &Turn::begin)->begin;
  const auto end = std::ranges::max_element(turns, {}, &Turn::end)->end;
  Team::Times times{.seconds = std::chrono::duration<double>(end - begin).count()};
  for (const Turn& turn : turns) {
    if (turn.failure) std::rethrow_exception(turn.failure);
    const double seconds = std::chrono::duration<double>(turn.end - turn.begin).count();
    times.cpu_seconds += turn.cpu_seconds;
    times.thread_seconds.push_back(seconds);
    if (seconds > 0) times.cpu_share = std::min(times.cpu_share, (turn.cpu_seconds + cpu_clock_step_seconds()) / seconds);
  }
  return times;
}

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t most_warm_bytes = 512 * mib;
constexpr std::size_t fewest_placement_bytes = 64 * mib;
constexpr std::size_t most_pool_bytes = 256 * mib;

std::size_t last_level_cache_bytes() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return static_cast<std::size_t>(std::max(level3, 0L));
}

}  // namespace

struct Team::Crew {
  std::vector<Turn> turns;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t call = 0;  // number of calls of run() so far
  std::size_t busy = 0;
  bool is_ending = false;
  const std::function<void(int)>* work = nullptr;
  std::vector<std::jthread> threads;

  ~Crew() {
    {
      const std::lock_guard lock(mutex);
      is_ending = true;
    }
    changed.notify_all();
  }

  void serve(int thread) {
    std::unique_lock lock(mutex);
    for (std::uint64_t done = 0;;) {
      changed.wait(lock, [&] { return is_ending || call != done; });
      if (is_ending) return;
      done = call;
      lock.unlock();
      turns[static_cast<std::size_t>(thread)] = timed(*work, thread);
      lock.lock();
      if (--busy == 0) changed.notify_all();
    }
  }
};

void check_cpus(const std::vector<int>& cpus, const std::string& option) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;  // refused by a seccomp filter; pin() checks the CPUs
  for (const int cpu : cpus) {
    if (is_in(cpu, allowed)) continue;
    std::string list;
    for (int i = 0; i < CPU_SETSIZE; i++) {
      if (is_in(i, allowed)) list += (list.empty() ? "" : ",") + std::to_string(i);
    }
    throw Error(option + " " + std::to_string(cpu) + " is not allowed: this process may use CPU " + list);
  }
}

Team::Team(int threads, const std::vector<int>& cpus, const std::string& given) : crew_(std::make_unique<Crew>()) {
  check_cpus(cpus);
  const auto cpu_of = [&](int thread) { return cpus.empty() ? -1 : cpus[static_cast<std::size_t>(thread) % cpus.size()]; };
  crew_->turns.resize(static_cast<std::size_t>(threads));
  if (threads == 1) {
    if (!cpus.empty()) pin(pthread_self(), cpu_of(0));
    return;
  }
  try {
    for (int thread = 0; thread < threads; thread++) {
      crew_->threads.emplace_back([crew = crew_.get(), thread] { crew->serve(thread); });
      if (!cpus.empty()) pin(crew_->threads.back().native_handle(), cpu_of(thread));  // before the thread gets work
    }
  } catch (const std::system_error& error) {
    throw Error((given.empty() ? "--threads " + std::to_string(threads) : given) +
                " is not possible: the system could start only " + std::to_string(crew_->threads.size()) + " threads (" +
                error.code().message() + "); " +
                (error.code() == std::errc::operation_not_permitted
                     ? "a seccomp filter may refuse them: start the container with --security-opt seccomp=unconfined"
                     : "give a smaller number"));
  }
}

Team::~Team() = default;

Team::Times Team::run(const std::function<void(int)>& work) {
  if (crew_->threads.empty()) {
    crew_->turns.front() = timed(work, 0);
    return times_of(crew_->turns);
  }
  std::unique_lock lock(crew_->mutex);
  crew_->work = &work;
  crew_->busy = crew_->threads.size();
  crew_->call++;
  crew_->changed.notify_all();
  crew_->changed.wait(lock, [&] { return crew_->busy == 0; });
  return times_of(crew_->turns);
}

void Team::run_in_turn(const std::function<void(int)>& work) {
  std::deque<std::binary_semaphore> turns;
  for (std::size_t thread = 0; thread < crew_->turns.size(); thread++) turns.emplace_back(thread == 0 ? 1 : 0);
  run([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    turns[index].acquire();
    work(thread);
    if (index + 1 < turns.size()) turns[index + 1].release();
  });
}

Placements::Placements(const EncodedObject& object, int threads, int count, std::size_t objects_per_place, Arena* arena)
    : threads_(threads) {
  std::mt19937_64 engine(1);
  for (int set = 0; set < threads * count; set++) {
    std::vector<const EncodedObject*>& objects = sets_.emplace_back();
    for (std::size_t i = 0; i < objects_per_place; i++) objects.push_back(&objects_.emplace_back(object, arena));
    std::shuffle(objects.begin(), objects.end(), engine);  // so that a prefetcher cannot predict the next object
  }
}

PlacementPlan plan_placements(const Point& point, std::size_t footprint_bytes, std::size_t objects_per_iteration) {
  const auto threads = static_cast<std::size_t>(point.threads);
  if (point.cache == CacheState::cold) {
    const std::size_t pool = std::clamp(2 * last_level_cache_bytes(), fewest_placement_bytes, most_pool_bytes);
    const std::size_t objects = std::max<std::size_t>(2, pool / threads / footprint_bytes);
    const std::size_t rounded = (objects + objects_per_iteration - 1) / objects_per_iteration * objects_per_iteration;
    return {1, rounded, rounded * footprint_bytes};
  }
  const std::size_t affordable = most_warm_bytes / (footprint_bytes * objects_per_iteration * threads);
  const auto wanted = static_cast<std::size_t>(point.iterations > 0 || point.pace ? 1 : point.sampling.placements);
  return {static_cast<int>(std::clamp<std::size_t>(affordable, 1, wanted)), objects_per_iteration, 0};
}

}  // namespace ecbench
