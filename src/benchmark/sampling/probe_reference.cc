#include "benchmark/sampling/probe_reference.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "benchmark/environment/system_info.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

// Change this line if the loops of probe.cc change: their speeds cannot be compared.
constexpr const char* first_line = "ecbench probe 1";
// No core reaches this speed.
constexpr double most_speed = 1000;
// A higher speed is stored only if it is higher by this factor; undisturbed probes differ as much.
constexpr double notable_gain = 1.005;

constexpr std::uintmax_t most_file_bytes = 64 << 10;  // hundreds of machines

using References = std::map<std::string, ProbeSpeed>;

bool is_speed(double value) {
  return std::isfinite(value) && value >= 0 && value < most_speed;
}

References read_all(const fs::path& file) {
  References references;
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most_file_bytes || error) return references;
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
