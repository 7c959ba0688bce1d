#include "benchmark/profiling/perf_control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr const char* variable = "ECBENCH_PERF_CONTROL";
constexpr int patience_ms = 10000;

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(std::string(variable) + ": " + what + " " + why +
              ": give the paths of two FIFOs as CTL,ACK, and run perf record -D -1 --control fifo:CTL,ACK with the same FIFOs");
}

int open_fifo(const std::string& path, int mode) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse("'" + path + "'", std::string("cannot be found (") + std::strerror(errno) + ")");
  if (!S_ISFIFO(status.st_mode)) refuse("'" + path + "'", "is not a FIFO");
  const int file = open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENXIO) refuse("'" + path + "'", "is not read by a running perf");
  if (file < 0) refuse("'" + path + "'", std::string("cannot be opened (") + std::strerror(errno) + ")");
  return file;
}

}  // namespace

std::unique_ptr<PerfControl> PerfControl::asked_for() {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return nullptr;
  const std::string text = value;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) refuse("'" + text + "'", "is not allowed");
  return std::make_unique<PerfControl>(text.substr(0, comma), text.substr(comma + 1));
}

PerfControl::PerfControl(const std::string& control, const std::string& acknowledge) : control_(open_fifo(control, O_WRONLY)) {
  try {
    acknowledge_ = open_fifo(acknowledge, O_RDONLY);
  } catch (...) {
    close(control_);
    throw;
  }
}

PerfControl::~PerfControl() {
  close(control_);
  close(acknowledge_);
}

void PerfControl::tell(const std::string& command) const {
  const std::string line = command + "\n";
  if (write(control_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error("perf does not accept the command " + command + ": " + std::strerror(errno));
  }
  pollfd answer{.fd = acknowledge_, .events = POLLIN, .revents = 0};
  std::array<char, 64> text{};
  if (poll(&answer, 1, patience_ms) != 1 || read(acknowledge_, text.data(), text.size()) <= 0) {
    throw Error("perf did not acknowledge the command " + command);
  }
}

}  // namespace ecbench
