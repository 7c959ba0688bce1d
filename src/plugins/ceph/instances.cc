#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "erasure_code/error.h"
#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {
namespace {

enum Mark : char { result = 'r', refusal = 'e' };

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t count = read(file, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

constexpr unsigned most_seconds = 60;

/// Runs `work` in the child process, and writes the result to the pipe `answer`. The signals get their default actions, because
/// Ceph's signal handlers would print the stack.
[[noreturn]] void run_child(int answer, const std::function<std::string()>& work) {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) signal(number, SIG_DFL);
  const rlimit no_core_file{0, 0};
  setrlimit(RLIMIT_CORE, &no_core_file);
  alarm(most_seconds);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  std::string text;
  try {
    text = static_cast<char>(result) + work();
  } catch (const std::exception& error) {
    text = static_cast<char>(refusal) + std::string(error.what());
  }
  write_all(answer, text);
  _exit(0);
}

}  // namespace

std::string in_child(const std::string& name, const std::string& problem, const std::string& advice,
                     const std::function<std::string()>& work) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(name + " could not be tested: pipe2() failed: " + std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) run_child(ends[1], work);
  const int reason = errno;
  close(ends[1]);
  const std::string text = child < 0 ? "" : read_all(ends[0]);
  close(ends[0]);
  if (child < 0) throw Error(name + " could not be tested: fork() failed: " + std::strerror(reason));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    throw Error(name + " " + problem + ": a test process was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) +
                "); " + advice);
  }
  if (text.empty()) throw Error(name + " " + problem + ": a test process ended without a result; " + advice);
  if (text.front() == refusal) throw Error(text.substr(1));
  return text.substr(1);
}

Instances::Instances(std::string plugin, ceph::CephProfile profile) : plugin_(std::move(plugin)), profile_(std::move(profile)) {
  idle_.push_back({0, make_ceph_code(plugin_, profile_)});
}

Instances::Instance Instances::take(std::size_t chunk_size) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(idle_, chunk_size, &Instance::chunk_size);
    if (found != idle_.end()) {
      Instance instance = std::move(*found);
      *found = std::move(idle_.back());
      idle_.pop_back();
      return instance;
    }
  }
  return {chunk_size, make_ceph_code(plugin_, profile_)};
}

void Instances::give_back(Instance instance) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(instance));
}

}  // namespace ecbench::ceph_plugins
