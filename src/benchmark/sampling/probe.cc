#include "benchmark/sampling/probe.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <sstream>
#include <vector>

#include "benchmark/environment/environment.h"
#include "benchmark/sampling/samples.h"

namespace ecbench {
namespace {

constexpr std::size_t fewest_probes = 16;
// Undisturbed, the throughput loop varies by less than 1 %, the memory loop by ±10 %.
constexpr double throughput_quantile = 0.75;
constexpr double memory_quantile = 0.5;

// A run takes 3 to 5 us at 3 GHz, reading the clock 25 ns. The median of five tolerates two interrupted runs.
constexpr std::size_t repetitions = 5;
constexpr std::uint64_t latency_rounds = 1000;     // a round has 4 multiplications of 3 cycles each
constexpr std::uint64_t throughput_rounds = 2000;  // a round has 24 instructions
constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

#if defined(__x86_64__)

// In assembly, because speeds of different builds are compared.

void run_latency_loop() {
  std::uint64_t rounds = latency_rounds;
  std::uint64_t value = 3;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      "imulq %1, %1\n"
      "imulq %1, %1\n"
      "imulq %1, %1\n"
      "imulq %1, %1\n"
      "decq %0\n"
      "jnz 1b\n"
      : "+r"(rounds), "+r"(value)
      :
      : "cc");
}

// 24 instructions: 8 loads, and 16 additions in 8 independent chains, enough for any x86-64 core (6 per cycle on Zen 4 and Golden
// Cove). No vectors: their speed depends on what is left in the upper halves of the registers.
void run_throughput_loop() {
  std::uint64_t rounds = throughput_rounds;
  const std::uint64_t word = 1;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      "addq $1, %%r8\n"
      "addq $1, %%r9\n"
      "movq %1, %%rcx\n"
      "addq $1, %%r10\n"
      "addq $1, %%r11\n"
      "movq %1, %%rcx\n"
      "addq $1, %%rax\n"
      "addq $1, %%rdx\n"
      "movq %1, %%rcx\n"
      "addq $1, %%rsi\n"
      "addq $1, %%rdi\n"
      "movq %1, %%rcx\n"
      "addq $1, %%r8\n"
      "addq $1, %%r9\n"
      "movq %1, %%rcx\n"
      "addq $1, %%r10\n"
      "addq $1, %%r11\n"
      "movq %1, %%rcx\n"
      "addq $1, %%rax\n"
      "addq $1, %%rdx\n"
      "movq %1, %%rcx\n"
      "addq $1, %%rsi\n"
      "addq $1, %%rdi\n"
      "movq %1, %%rcx\n"
      "decq %0\n"
      "jnz 1b\n"
      : "+r"(rounds)
      : "m"(word)
      : "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

void run_memory_loop(const void* buffer) {
  const void* at = buffer;
  std::uint64_t rounds = buffer_bytes / (4 * cache_line_bytes);
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      "movq (%0), %%rax\n"
      "movq 64(%0), %%rcx\n"
      "movq 128(%0), %%rdx\n"
      "movq 192(%0), %%rsi\n"
      "addq $256, %0\n"
      "decq %1\n"
      "jnz 1b\n"
      : "+r"(at), "+r"(rounds)
      :
      : "cc", "memory", "rax", "rcx", "rdx", "rsi");
}

void remove_from_caches(const void* buffer) {
  const char* const begin = static_cast<const char*>(buffer);
  for (std::size_t line = 0; line < buffer_bytes; line += cache_line_bytes)
    asm volatile("clflush (%0)" : : "r"(begin + line) : "memory");
  asm volatile("mfence" : : : "memory");
}

template <typename Loop>
double seconds_of(Loop loop) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  loop();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

#endif

double quantile(std::span<const ProbeSpeed> probes, double ProbeSpeed::*speed, double share) {
  std::vector<double> speeds;
  for (const ProbeSpeed& probe : probes) {
    if (probe.*speed > 0) speeds.push_back(probe.*speed);
  }
  if (speeds.size() < fewest_probes) return 0;
  const auto at = speeds.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(speeds.size()));
  std::ranges::nth_element(speeds, at);
  return *at;
}

namespace fs = std::filesystem;

// Change this line if the loops of probe.cc change: their speeds cannot be compared.
constexpr const char* first_line = "ecbench probe 1";
// No core reaches this speed.
constexpr double most_speed = 1000;
// A higher speed is stored only if it is higher by this factor; undisturbed probes differ as much.
constexpr double notable_gain = 1.005;

constexpr std::uintmax_t most_reference_bytes = 64 << 10;  // hundreds of machines

using References = std::map<std::string, ProbeSpeed>;

bool is_speed(double value) { return std::isfinite(value) && value >= 0 && value < most_speed; }

References read_all(const fs::path& file) {
  References references;
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most_reference_bytes || error) return references;
  const std::vector<std::string> lines = lines_of(read_text(file).value_or(""));
  if (lines.empty() || lines.front() != first_line) return references;
  for (std::size_t i = 1; i < lines.size(); i++) {
    std::istringstream line(lines[i]);
    ProbeSpeed speed;
    std::string machine;
    if (!(line >> speed.throughput >> speed.memory) || !std::getline(line >> std::ws, machine)) continue;
    if (is_speed(speed.throughput) && is_speed(speed.memory)) references[machine] = faster(references[machine], speed);
  }
  return references;
}

bool write_all(const fs::path& file, const References& references) {
  std::error_code error;
  // Creates at most .local/state/ecbench, but no home directory.
  if (!fs::is_directory(file.parent_path().parent_path().parent_path().parent_path(), error)) return false;
  fs::create_directories(file.parent_path(), error);
  // SIGXFSZ would end the program at the file size limit (ulimit -f).
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const fs::path temporary = file.string() + "." + std::to_string(getpid()) + ".tmp";
  std::ofstream out(temporary, std::ios::trunc);
  out << first_line << '\n';
  for (const auto& [machine, speed] : references) out << speed.throughput << ' ' << speed.memory << ' ' << machine << '\n';
  out.close();
  std::signal(SIGXFSZ, before);
  if (out) fs::rename(temporary, file, error);
  if (out && !error) return true;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return false;
}

}  // namespace

ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b) {
  return {std::min(a.throughput, b.throughput), std::min(a.memory, b.memory)};
}

ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b) {
  return {std::max(a.throughput, b.throughput), std::max(a.memory, b.memory)};
}

ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes) {
  return {quantile(probes, &ProbeSpeed::throughput, throughput_quantile), quantile(probes, &ProbeSpeed::memory, memory_quantile)};
}

void Probe::Free::operator()(void* memory) const { std::free(memory); }

Probe::Probe(bool with_memory) {
#if defined(__x86_64__)
  if (!with_memory) return;
  constexpr std::size_t page_bytes = 4096;
  buffer_.reset(std::aligned_alloc(page_bytes, buffer_bytes));
  if (buffer_ == nullptr) throw std::bad_alloc();
  std::memset(buffer_.get(), 1, buffer_bytes);
  remove_from_caches(buffer_.get());
#else
  static_cast<void>(with_memory);
#endif
}

ProbeSpeed Probe::run() {
  ProbeSpeed speed;
#if defined(__x86_64__)
  std::array<double, repetitions> ratios{};
  std::array<double, repetitions> multiplications{};  // seconds of one multiplication
  for (std::size_t i = 0; i < repetitions; i++) {
    const double latency = std::max(seconds_of(run_latency_loop), 1e-9) / (4 * latency_rounds);
    const double throughput = std::max(seconds_of(run_throughput_loop), 1e-9) / (24 * throughput_rounds);
    ratios[i] = latency / throughput;
    multiplications[i] = latency;
  }
  speed.throughput = median(ratios);
  if (buffer_ != nullptr) {
    const double seconds = std::max(seconds_of([&] { run_memory_loop(buffer_.get()); }), 1e-9);
    speed.memory = buffer_bytes * median(multiplications) / seconds;
    remove_from_caches(buffer_.get());
  }
#endif
  return speed;
}

fs::path reference_file() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    const fs::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : fs::path();
  };
  if (const fs::path state = folder("XDG_STATE_HOME"); !state.empty()) return state / "ecbench" / "probe";
  const fs::path home = folder("HOME");
  return home.empty() ? home : home / ".local" / "state" / "ecbench" / "probe";
}

std::string machine_name(const CpuInfo& cpu) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::ostringstream name;
  name << (host.front() == '\0' ? "-" : host.data()) << ' ' << cpu.vendor.value_or("-");
  for (const auto& number : {cpu.family, cpu.model, cpu.stepping}) name << ' ' << number.value_or(-1);
  name << ' ' << cpu.model_name.value_or("-");
  return name.str();
}

ProbeSpeed read_reference(const fs::path& file, const std::string& machine) {
  if (file.empty()) return {};
  const References references = read_all(file);
  const auto found = references.find(machine);
  return found == references.end() ? ProbeSpeed() : found->second;
}

bool store_reference(const fs::path& file, const std::string& machine, const ProbeSpeed& speed) {
  if (file.empty()) return false;
  References references = read_all(file);
  ProbeSpeed& best = references[machine];
  if (speed.throughput <= notable_gain * best.throughput && speed.memory <= notable_gain * best.memory) return best != ProbeSpeed();
  best = faster(best, speed);
  return write_all(file, references);
}

}  // namespace ecbench
