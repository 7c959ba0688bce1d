#include "benchmark/team.h"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

using Clock = std::chrono::steady_clock;

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof(set), &set) == 0) return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::string list;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &allowed)) list += (list.empty() ? "" : ",") + std::to_string(i);
  }
  throw Error("--cpu " + std::to_string(cpu) + " is not allowed: this process may use CPU " + list);
}

struct Turn {
  Clock::time_point begin;
  Clock::time_point end;
  double cpu_seconds = 0;
};

Turn timed(const std::function<void(int)>& work, int thread) {
  Turn turn;
  const double cpu_begin = thread_cpu_seconds();
  turn.begin = Clock::now();
  work(thread);
  turn.end = Clock::now();
  turn.cpu_seconds = thread_cpu_seconds() - cpu_begin;
  return turn;
}

Team::Times times_of(const std::vector<Turn>& turns) {
  const auto begin = std::ranges::min_element(turns, {}, &Turn::begin)->begin;
  const auto end = std::ranges::max_element(turns, {}, &Turn::end)->end;
  Team::Times times{.seconds = std::chrono::duration<double>(end - begin).count()};
  for (const Turn& turn : turns) {
    times.cpu_seconds += turn.cpu_seconds;
    times.thread_seconds.push_back(std::chrono::duration<double>(turn.end - turn.begin).count());
  }
  return times;
}

}  // namespace

// The threads wait at `start` for work, and the caller at `done` for them.
struct Team::Crew {
  explicit Crew(int size) : turns(static_cast<std::size_t>(size)), start(size + 1), done(size + 1) {}

  std::vector<Turn> turns;
  std::barrier<> start;
  std::barrier<> done;
  const std::function<void(int)>* work = nullptr;  // null: go home
  std::vector<std::jthread> threads;
};

Team::Team(int threads, const std::vector<int>& cpus) : crew_(std::make_unique<Crew>(threads)) {
  const auto cpu_of = [&](int thread) { return cpus[static_cast<std::size_t>(thread) % cpus.size()]; };
  // In this thread first, where an error can be thrown; the last one pins it to the CPU of thread 0.
  for (int thread = threads - 1; thread >= 0 && !cpus.empty(); thread--) pin_this_thread(cpu_of(thread));
  if (threads == 1) return;
  for (int thread = 0; thread < threads; thread++) {
    crew_->threads.emplace_back([crew = crew_.get(), thread, pinned = !cpus.empty(), cpu = cpus.empty() ? 0 : cpu_of(thread)] {
      if (pinned) pin_this_thread(cpu);
      for (;;) {
        crew->start.arrive_and_wait();
        if (crew->work == nullptr) return;
        crew->turns[static_cast<std::size_t>(thread)] = timed(*crew->work, thread);
        crew->done.arrive_and_wait();
      }
    });
  }
}

Team::~Team() {
  if (crew_->threads.empty()) return;
  crew_->work = nullptr;
  crew_->start.arrive_and_wait();
}

Team::Times Team::run(const std::function<void(int)>& work) {
  if (crew_->threads.empty()) {
    crew_->turns.front() = timed(work, 0);
  } else {
    crew_->work = &work;
    crew_->start.arrive_and_wait();
    crew_->done.arrive_and_wait();
  }
  return times_of(crew_->turns);
}

}  // namespace ecbench
