// What is read from files of /proc and /sys that the tests write.

#include "benchmark/environment/environment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/warnings/remarks.h"
#include "report/json.h"
#include "test/json_values.h"
#include "test/temporary.h"

namespace ecbench {
namespace {

using Files = std::map<std::string, std::string>;

struct Machine : test::TemporaryFolder {
  explicit Machine(const Files& files) {
    for (const auto& [path, text] : files) write(path, text);
  }
};

const std::string cpus = "sys/devices/system/cpu/";

/// The files of a machine that causes no warning.
Files quiet_machine() {
  Files files{
      {"proc/cpuinfo",
       "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) "
       "8480\nstepping\t: 8\n"
       "microcode\t: 0x2b000461\nflags\t\t: fpu sse2 ssse3 avx2 avx512f gfni rtm\n\nprocessor\t: 1\nvendor_id\t: Other\n"},
      {"proc/loadavg", "0.25 0.50 1.75 1/200 4242\n"},
      {"proc/stat", "cpu  100 0 100 700 0 0 0 100 50 0\ncpu0 100 0 100 700 0 0 0 100 50 0\n"},
      {"proc/thread-self/status", "Name:\tecbench\nCpus_allowed:\t4\nCpus_allowed_list:\t2\n"},
      {"proc/self/cgroup", "0::/box/inner\n"},
      {"proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"},
      {"proc/sys/kernel/randomize_va_space", "2\n"},
      {"proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"},
      {"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
      {"sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
      {"sys/devices/system/node/online", "0-1\n"},
      {"sys/devices/system/node/node0/cpulist", "0-1\n"},
      {"sys/devices/system/node/node1/cpulist", "2-3\n"},
      {cpus + "online", "0-3\n"},
      {cpus + "smt/active", "1\n"},
      {cpus + "intel_pstate/no_turbo", "1\n"},
      {cpus + "cpu0/cpufreq/scaling_min_freq", "800000\n"},
      {cpus + "cpu0/cpufreq/scaling_max_freq", "3800000\n"},
      {cpus + "cpu0/cache/index0/level", "1\n"},
      {cpus + "cpu0/cache/index0/type", "Data\n"},
      {cpus + "cpu0/cache/index0/size", "48K\n"},
      {cpus + "cpu0/cache/index0/ways_of_associativity", "12\n"},
      {cpus + "cpu0/cache/index0/shared_cpu_list", "0,2\n"},
      {cpus + "cpu0/cache/index1/level", "3\n"},
      {cpus + "cpu0/cache/index1/type", "Unified\n"},
      {cpus + "cpu0/cache/index1/size", "105M\n"},
  };
  for (const char* cpu : {"cpu0", "cpu1", "cpu2", "cpu3"}) files[cpus + cpu + "/cpufreq/scaling_governor"] = "performance\n";
  return files;
}

/// The build of the tests may not be optimised.
Environment seen(const Machine& machine) {
  Environment environment = read_environment({"ecbench"}, machine.path());
  environment.build.optimised = true;
  environment.build.sanitized = false;
  environment.shared_objects.clear();
  return environment;
}

/// The only reason why an environment is not fit, as "code: text"; "" if it is fit.
std::string reason_of(const Environment& environment) {
  const Remarks reasons = unfit(environment);
  EXPECT_LE(reasons.size(), 1u) << joined_texts(reasons);
  return reasons.empty() ? "" : reasons.front().code + ": " + reasons.front().text;
}

using Change = std::function<void(Environment&)>;

/// Of quiet_machine() with these files and changes.
std::string reason_with(const Files& changed_files, const Change& change) {
  Files files = quiet_machine();
  for (const auto& [path, text] : changed_files) files[path] = text;
  Environment environment = seen(Machine(files));
  change(environment);
  return reason_of(environment);
}

TEST(CpuList, IsReadAndWrittenAsLinuxDoes) {
  EXPECT_EQ(parse_cpu_list("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  for (const char* text : {"0", "0-2,5", "1,3,5-6", ""}) EXPECT_EQ(format_cpu_list(parse_cpu_list(text)), text);
}

TEST(Environment, DescribesTheCpuAndTheSystem) {
  const nlohmann::ordered_json json = environment_json(seen(Machine(quiet_machine())));
  test::expect_values(json["cpu"], R"({
      "vendor": "GenuineIntel", "model_name": "Intel(R) Xeon(R) 8480", "microcode": "0x2b000461", "family": 6, "model": 143,
      "stepping": 8, "flags": ["sse2", "ssse3", "avx2", "gfni", "avx512f"], "online_cpus": "0-3", "online_cpu_count": 4,
      "smt": true, "governor": "performance", "turbo": false, "frequency_min_khz": 800000, "frequency_max_khz": 3800000,
      "hypervisor": false, "hypervisor_vendor": null,
      "caches": [{"level": 1, "type": "Data", "size_bytes": 49152, "ways": 12, "shared_cpus": "0,2"},
                 {"level": 3, "type": "Unified", "size_bytes": 110100480, "ways": null, "shared_cpus": null}]})");
  test::expect_values(json["system"], R"({
      "kernel_release": "6.1.0-18-amd64", "clocksource": "tsc", "transparent_hugepages": "madvise", "aslr": "full",
      "load_average": [0.25, 0.5, 1.75], "allowed_cpus": "2",
      "numa_nodes": [{"node": 0, "cpus": "0-1"}, {"node": 1, "cpus": "2-3"}]})");
  EXPECT_DOUBLE_EQ(json["system"]["steal_seconds_since_boot"].get<double>(), 100.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

std::string arm_core(const std::string& implementer, const std::string& part, const std::string& variant) {
  return "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd pmull\nCPU implementer\t: " + implementer +
         "\nCPU architecture: 8\nCPU variant\t: " + variant + "\nCPU part\t: " + part + "\nCPU revision\t: 1\n\n";
}

TEST(Environment, DescribesArmCpusByTheirNumbers) {
  const auto cpu_of = [](const std::string& cpuinfo) { return seen(Machine({{"proc/cpuinfo", cpuinfo}})).cpu; };
  const std::string neoverse = arm_core("0x41", "0xd0c", "0x3");
  const CpuInfo n1 = cpu_of(neoverse + neoverse);
  EXPECT_EQ(n1.vendor, "ARM");
  EXPECT_EQ(n1.model_name, "Neoverse-N1");
  EXPECT_EQ(n1.model, 0xd0c);
  EXPECT_EQ(n1.stepping, 0x31);
  const CpuInfo mixed = cpu_of(arm_core("0x41", "0xd05", "0x2") + arm_core("0x41", "0xd0b", "0x4"));
  EXPECT_EQ(mixed.model_name, "Cortex-A55,Cortex-A76");
  EXPECT_EQ(mixed.model, std::nullopt);
  const CpuInfo unknown = cpu_of(arm_core("0x99", "0xfff", "0x0"));
  EXPECT_EQ(unknown.vendor, "0x99");
  EXPECT_EQ(unknown.model_name, "0x99 part 0xfff");
  EXPECT_EQ(cpu_of(arm_core("0x41", "nonsense", "0x0")).model_name, std::nullopt);
}

Files of_each(const std::string& name, const std::vector<std::string>& values) {
  Files files;
  for (std::size_t cpu = 0; cpu < values.size(); cpu++) files[cpus + "cpu" + std::to_string(cpu) + "/" + name] = values[cpu] + "\n";
  return files;
}

TEST(Cores, OfTheFastestKindAndNoSiblingsAreChosen) {
  using Cpus = std::vector<int>;
  const Files halves = of_each("topology/thread_siblings_list", {"0,2", "1,3", "0,2", "1,3"});
  const Files pairs = of_each("topology/thread_siblings_list", {"0-1", "0-1", "2-3", "2-3"});
  const Files hybrid{{"sys/devices/cpu_core/cpus", "0-1\n"}, {"sys/devices/cpu_atom/cpus", "2-3\n"}};
  for (const auto& [files, allowed, count, chosen] : std::vector<std::tuple<Files, Cpus, int, Cpus>>{
           {halves, {0, 1, 2, 3}, 2, {2, 3}},
           {pairs, {0, 1, 2, 3}, 2, {1, 3}},
           {pairs, {2, 3}, 2, {2, 3}},
           {pairs, {2}, 2, {2}},
           {pairs, {}, 2, {}},
           {{}, {0, 1, 2}, 2, {1, 2}},
           {of_each("cpu_capacity", {"1024", "1024", "446", "446"}), {0, 1, 2, 3}, 2, {0, 1}},
           {of_each("cpu_capacity", {"1024", "x", "446"}), {0, 1, 2}, 2, {1, 2}},
           {of_each("cpufreq/cpuinfo_max_freq", {"5200000", "5000000", "3800000"}), {0, 1, 2}, 2, {0, 1}},
           {hybrid, {0, 1, 2, 3}, 2, {0, 1}},
           {hybrid, {2, 3}, 1, {3}}}) {
    EXPECT_EQ(quiet_cpus(Machine(files).path(), allowed, count), chosen);
  }
}

TEST(Cores, TheirKindIsInTheEnvironment) {
  Files files = quiet_machine();
  EXPECT_TRUE(environment_json(seen(Machine(files)))["core_kind"].is_null());
  files["sys/devices/cpu_core/cpus"] = "0-1\n";
  Environment environment = seen(Machine(files));
  EXPECT_EQ(environment_json(environment)["core_kind"], "slower") << "only CPU 2 is allowed";
  environment.pinned_cpus = {1};
  EXPECT_EQ(environment_json(environment)["core_kind"], "fastest");
  environment.pinned_cpus = {1, 3};
  EXPECT_EQ(environment_json(environment)["core_kind"], "fastest,slower");
}

TEST(Environment, LeavesOutUnknownValues) {
  const Machine machine({});
  const Environment environment = seen(machine);
  EXPECT_EQ(reason_of(environment), "");
  const nlohmann::ordered_json json = environment_json(environment);
  test::expect_values(json["cpu"], R"({"vendor": null, "family": null, "governor": null, "turbo": null, "smt": null,
                                       "hypervisor": null, "frequency_max_khz": null, "online_cpus": null})");
  test::expect_values(json["system"], R"({"clocksource": null, "aslr": null, "load_average": null, "allowed_cpus": null,
                                          "steal_seconds_since_boot": null, "transparent_hugepages": null})");
  test::expect_values(json["cgroup"],
                      R"({"version": null, "quota_cpus": null, "throttled_seconds": null, "memory_limit_bytes": null})");
}

TEST(Environment, AcceptsFilesWithInvalidContent) {
  Files files = quiet_machine();
  for (auto& [path, text] : files) text = "\xff\xfe: [ - x,9-,-3 99999999999999999999999";
  const Machine machine(files);
  EXPECT_NO_THROW(environment_text(seen(machine)));
}

// The limits of all parents count; a group without a limit has none; the page cache is available memory.
TEST(Cgroup, IsThatOfAllParents) {
  const Machine machine(quiet_machine());
  EXPECT_EQ(read_cgroup(machine.path()).version, 2);
  EXPECT_EQ(read_cgroup(machine.path()).quota_cpus, std::nullopt);
  EXPECT_EQ(read_memory_limit(machine.path()).limit_bytes, std::nullopt);
  const std::string box = "sys/fs/cgroup/box/", inner = box + "inner/";
  machine.write(inner + "cpu.max", "max 100000\n");
  machine.write(box + "cpu.max", "50000 100000\n");
  machine.write(box + "cpu.stat", "usage_usec 9000000\nnr_throttled 4\nthrottled_usec 1500000\n");
  machine.write(inner + "cpu.stat", "usage_usec 9000000\nthrottled_usec 250000\n");
  EXPECT_EQ(read_cgroup(machine.path()).quota_cpus, 0.5);
  EXPECT_EQ(read_cgroup(machine.path()).throttled_seconds, 1.75);
  machine.write(inner + "memory.max", "max\n");
  machine.write(box + "memory.max", "4294967296\n");
  machine.write(box + "memory.current", "4252017623\n");
  machine.write(box + "memory.stat", "anon 1000\ninactive_file 4187593113\nactive_file 1000\nslab_reclaimable 24\n");
  EXPECT_EQ(read_memory_limit(machine.path()).available_bytes, 4294967296 - 4252017623 + 4187593113 + 1024);
  EXPECT_EQ(read_cgroup(machine.path()).memory_limit_bytes, 4294967296);
  machine.write(inner + "memory.max", "1048576\n");
  machine.write(inner + "memory.current", "1048000\n");
  EXPECT_EQ(read_memory_limit(machine.path()).available_bytes, 576);
  EXPECT_EQ(available_memory_bytes(machine.path()), 576U);
}

TEST(Cgroup, OfVersion1IsSupported) {
  const Machine machine(quiet_machine());
  machine.write("proc/self/cgroup", "5:memory:/docker/abc/x\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n0::/unified\n");
  machine.write("proc/self/mountinfo",
                "29 22 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                "33 22 0:28 /docker/abc /sys/fs/cgroup/a\\040cpu rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
                "34 22 0:29 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  const std::string cpu = "sys/fs/cgroup/a cpu/", memory = "sys/fs/cgroup/memory/";
  machine.write(cpu + "cpu.cfs_quota_us", "150000\n");
  machine.write(cpu + "cpu.cfs_period_us", "100000\n");
  machine.write(cpu + "cpu.stat", "nr_periods 3\nthrottled_time 2500000000\n");
  machine.write(memory + "memory.limit_in_bytes", "314572800\n");
  machine.write(memory + "memory.usage_in_bytes", "314572000\n");
  machine.write(memory + "memory.stat", "inactive_file 7\ntotal_inactive_file 1000\ntotal_active_file 200\n");
  machine.write(memory + "x/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write(memory + "x/memory.usage_in_bytes", "5\n");
  const Cgroup cgroup = read_cgroup(machine.path());
  EXPECT_EQ(cgroup.version, 1);
  EXPECT_EQ(cgroup.quota_cpus, 1.5);
  EXPECT_EQ(cgroup.throttled_seconds, 2.5);
  EXPECT_EQ(read_memory_limit(machine.path()).limit_bytes, 314572800);
  EXPECT_EQ(read_memory_limit(machine.path()).available_bytes, 800 + 1200);
  machine.write(cpu + "cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(read_cgroup(machine.path()).quota_cpus, std::nullopt);
}

TEST(Interference, IsWhatGrewDuringTheRun) {
  const Machine machine(quiet_machine());
  machine.write("sys/fs/cgroup/cpu.stat", "throttled_usec 1000000\n");
  const InterferenceCounters before = read_interference_counters(machine.path());
  machine.write("proc/stat", "cpu  140 0 100 750 0 0 0 110 90 0\n");
  machine.write("sys/fs/cgroup/cpu.stat", "throttled_usec 1250000\n");
  const Interference run = interference_between(before, read_interference_counters(machine.path()));
  EXPECT_EQ(run.steal_percent, 10.0);
  EXPECT_EQ(run.throttled_seconds, 0.25);
  EXPECT_EQ(interference_between(before, before).steal_percent, std::nullopt);
  EXPECT_EQ(interference_between(before, before).throttled_seconds, 0.0);
  EXPECT_EQ(interference_between(before, {}).throttled_seconds, std::nullopt);
}

struct Unfit {
  std::string code;   ///< "" if the machine is fit
  std::string value;  ///< is in the text
  Files files;
  Change change = [](Environment&) {};
};

Change during_run(const Interference& interference) {
  return [=](Environment& environment) { environment.during_run = interference; };
}

/// In a short run, `steal` of `ticks` ticks of all CPUs were stolen.
Change stolen(long steal, long ticks) { return during_run(interference_between({0, 0, {}}, {steal, ticks, {}})); }

// The files are those of quiet_machine(), except for one reason.
TEST(Fitness, EachReasonIsNamedWithItsValue) {
  EXPECT_NO_THROW(require_fit(seen(Machine(quiet_machine()))));
  const Files unpinned{{"proc/thread-self/status", "Cpus_allowed_list:\t0-3\n"}};
  const Files none;
  const auto cpus_of = [](int threads, const std::vector<int>& pinned) {
    return [=](Environment& e) { e.threads = threads, e.pinned_cpus = pinned; };
  };
  for (const Unfit& reason : std::vector<Unfit>{
           {"", "", none},
           {"load_average", "2.10", {{"proc/loadavg", "2.10 1 1 1/1 1\n"}}},
           {"load_average", "2.00", {{cpus + "online", "0\n"}, {"proc/loadavg", "2.00 1 1 1/1 1\n"}}},
           {"", "the load of the run itself", {{cpus + "online", "0\n"}, {"proc/loadavg", "1.05 1 1 1/1 1\n"}}},
           {"frequency_governor", "powersave", {{cpus + "cpu3/cpufreq/scaling_governor", "powersave\n"}}},
           {"not_pinned", "4 CPUs", unpinned},
           {"", "", unpinned, cpus_of(1, {3})},
           {"", "", unpinned, cpus_of(4, {})},
           {"shared_cpus", "2 threads", none, cpus_of(2, {})},
           {"shared_cpus", "1 CPU", none, cpus_of(2, {1, 1})},
           {"cpu_quota", "0.50 CPUs", {{"sys/fs/cgroup/box/inner/cpu.max", "50000 100000\n"}}},
           {"", "", {{"sys/fs/cgroup/box/inner/cpu.max", "100000 100000\n"}}},
           {"steal", "1.1 %", none, during_run({.steal_percent = 1.1})},
           {"steal", "5.0 %", none, stolen(2, 40)},
           {"", "one tick in 40 may have begun before the run", none, stolen(1, 40)},
           {"", "", none, during_run({.steal_percent = 0.9, .throttled_seconds = 0.0})},
           {"throttled", "0.125", none, during_run({.throttled_seconds = 0.125})},
           {"unoptimised_build", "Debug", none, [](Environment& e) { e.build.optimised = false, e.build.build_type = "Debug"; }},
           {"sanitizer_build", "sanitizer", none, [](Environment& e) { e.build.sanitized = true; }},
           {"", "", none, [](Environment& e) { e.shared_objects = {{.name = "a.so", .path = "/a.so", .debug_info = true}}; }}}) {
    const std::string found = reason_with(reason.files, reason.change);
    if (reason.code.empty()) {
      EXPECT_EQ(found, "") << reason.value;
    } else {
      EXPECT_TRUE(found.starts_with(reason.code + ": ")) << found;
      EXPECT_NE(found.find(reason.value), std::string::npos) << found;
    }
  }
}

TEST(Fitness, NamesAnotherMeasurement) {
  struct stat folder {};
  ASSERT_EQ(stat("/tmp", &folder), 0);
  const test::EnvironmentVariable variable("ECBENCH_LOCK_DIR", "/tmp");
  const auto reason_if_locked_by = [&](int process) {
    std::string line(200, '\0');
    line.resize(
        static_cast<std::size_t>(std::snprintf(line.data(), line.size(), "7: FLOCK  ADVISORY  WRITE %d %02x:%02x:%lu 0 EOF\n",
                                               process, major(folder.st_dev), minor(folder.st_dev), folder.st_ino)));
    const std::string status = "proc/" + std::to_string(getpid()) + "/status";
    return reason_with({{"proc/locks", line}, {status, "Name:\tecbench\nPPid:\t4242\n"}}, [](Environment&) {});
  };
  EXPECT_TRUE(reason_if_locked_by(77).starts_with("other_measurement: process 77 "));
  for (const int own : {getpid(), 4242}) EXPECT_EQ(reason_if_locked_by(own), "");  // 4242 is the mode that started this process
}

TEST(PrivateNames, BecomePlaceholders) {
  const PrivateNames names{.homes = {"/srv/people/alice"}, .users = {"alice"}, .hosts = {"build7.example.org", "build7"}};
  EXPECT_EQ(publishable("/srv/people/alice/x.so", names), "~/x.so");
  EXPECT_EQ(publishable("/srv/people/alice", names), "~");
  EXPECT_EQ(publishable("/srv/people/alicent/x", names), "/srv/people/alicent/x");
  EXPECT_EQ(publishable("-I/home/bob/include:/root/include /rooted", names), "-I~/include:~/include /rooted");
  EXPECT_EQ(publishable("/data/alice/build7.example.org/r", names), "/data/USER/HOST/r");
  EXPECT_EQ(publishable("/home/root/x /mnt/home/bob/x", names), "~/x /mnt~/x");
  EXPECT_EQ(publishable("/home/group/bob/x", {.homes = {"/home/group/bob"}, .users = {}, .hosts = {}}), "~/x");
  EXPECT_EQ(publishable("/malice/rebuild7", names), "/malice/rebuild7");
}

TEST(PrivateNames, AreNotInTheNameOfTheHost) {
  const auto of = [](const std::string& host, const std::vector<std::string>& users) {
    return host_name({.homes = {}, .users = users, .hosts = {host + ".example.org", host}});
  };
  EXPECT_EQ(of("build7", {"alice"}), "build7");
  EXPECT_EQ(of("Alices-laptop", {"alice", "root"}), "USERs-laptop");
  EXPECT_EQ(of("alicealice", {"alice"}), "USERUSER");
  EXPECT_EQ(of("user1", {"user"}), "USER1");
  EXPECT_EQ(of("jo-mac", {"jo"}), "USER-mac");
  EXPECT_EQ(of("major", {"jo"}), "major") << "a short name may be part of any word";
  EXPECT_EQ(host_name({}), "");
}

TEST(PrivateNames, InArgumentsDoNotChangeTheNamesOfOptions) {
  const PrivateNames names{.homes = {"/home/k"}, .users = {"k"}, .hosts = {"seed"}};
  EXPECT_EQ(publishable_argument("k=6", names), "k=6");
  EXPECT_EQ(publishable_argument("--seed", names), "--seed");
  EXPECT_EQ(publishable_argument("--input=/mnt/k/seed.dat", names), "--input=/mnt/USER/HOST.dat");
  EXPECT_EQ(publishable_argument("directory=/home/k/plugins", names), "directory=~/plugins");
}

}  // namespace
}  // namespace ecbench
