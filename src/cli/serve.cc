// serve times a point in short slices on request. Two processes share the memory of the objects, so that bench.sh gate can compare
// two builds (benchmark/slices/slices.h). The protocol is "ecbench slices 1". First, the server writes one line of JSON that
// describes the point. Then the server reads commands, one per line, and answers each command except quit with one line. The
// columns of this list are the command, the answer and the meaning:
//
//   warm N        ok                    runs N iterations without timing them
//   time N        ns WALL CPU           runs N iterations in WALL ns of wall-clock time and CPU ns of CPU time; see Slices::time()
//   calibrate NS  iterations N          finds the number N of iterations that take about NS nanoseconds
//   check         ok | wrong REASON     overwrites all results, computes them again, checks them; ends the process if one is wrong
//   quit                                ends the process; the end of input does the same

#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <sstream>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/slices/slices.h"
#include "cli/commands.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* protocol = "ecbench slices 1";
constexpr double most_calibrated_ns = 1e10;
constexpr std::uint64_t most_iterations = 1'000'000'000;

// The keys of a row that describe its point.
constexpr std::array point_keys{
    "plugin", "profile", "workload", "size", "stripe_unit", "erasures", "erased", "erasures_generation", "want",
    "timing", "cache",   "threads",  "cpus", "dispatch",    "fill",     "seed",   "codec_lib",           "changed"};

Json point_json(const Point& measured, const EncodedObject& object, const Workload& workload) {
  const Row row{.measurement = unmeasured(measured, object, workload, {})};
  const Json json = row_json(row);
  Json point;
  for (const char* key : point_keys) {
    if (json.contains(key)) point[key] = json[key];
  }
  return point;
}

Json greeting(const Point& point, const Registry& registry, const EncodedObject& object, const Workload& workload,
              const Slices& slices) {
  const ErasureCode& code = object.code();
  const PrivateNames names = private_names();
  return {{"protocol", protocol},
          {"point", point_json(point, object, workload)},
          {"k", code.data_chunk_count()},
          {"m", code.coding_chunk_count()},
          {"chunk_count", code.chunk_count()},
          {"chunk_size_bytes", object.chunk_size_bytes()},
          {"stripes", object.stripe_count()},
          {"object_bytes_per_iteration", object.object_size_bytes() * workload.operations_per_iteration()},
          {"patterns", workload.patterns()},
          {"arena_bytes", slices.arena_bytes()},
          {"chunks_digest", chunks_digest(object.chunks())},
          {"kernel", kernels_text(workload, code)},
          {"codec_libraries", codec_libraries_json(codec_objects())},
          {"program", publishable(loaded_objects().front().path, names)},
          {"plugin_path", publishable(registry.path_of(point.plugin).string(), names)}};
}

std::string nanoseconds(double seconds) { return std::to_string(std::llround(seconds * 1e9)); }

std::string checked(Slices& slices, std::ostream& out) {
  try {
    slices.check();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::wrong_bytes) out << "wrong " << one_line(error.what()) << '\n' << std::flush;
    throw;
  }
  return "ok";
}

/// Executes a command other than quit, and returns the answer.
std::string answer(const std::string& line, Slices& slices, std::ostream& out) {
  std::istringstream words(line);
  std::string command, number, more;
  words >> command >> number >> more;
  const bool has_number = !number.empty() && more.empty();
  if (command == "check" && number.empty()) return checked(slices, out);
  if (command == "calibrate" && has_number) {
    const auto ns = static_cast<double>(parse_count("calibrate", number, 1));
    if (ns > most_calibrated_ns) throw Error("calibrate " + number + " is not allowed: give at most 10000000000 (nanoseconds)");
    return "iterations " + std::to_string(slices.calibrate(ns * 1e-9));
  }
  if ((command == "warm" || command == "time") && has_number) {
    const std::uint64_t iterations = parse_count(command, number, 1);
    if (iterations > most_iterations) {
      throw Error(command + " " + number + " is not allowed: give at most " + std::to_string(most_iterations) + " iterations");
    }
    if (command == "time") {
      const Team::Times times = slices.time(iterations);
      return "ns " + nanoseconds(times.seconds) + " " + nanoseconds(times.cpu_seconds);
    }
    slices.warm(iterations);
    return "ok";
  }
  throw Error("'" + line + "' is not a command; give 'warm N', 'time N', 'calibrate NS', 'check' or 'quit'");
}

void refuse(const Call& call, const std::string& what, const std::string& why) {
  throw Error(what + " is not allowed with " + call.called + ": " + why);
}

void check_servable(const Call& call, const PointOptions& options) {
  const Point& point = options.point;
  if (options.as_ceph) refuse(call, "the name of Ceph's tool", "the server prints no row; call the program by the name ecbench");
  if (point.timing == Timing::api) {
    refuse(call, "--timing api",
           "each call would allocate chunks, and their random placement in memory would affect the times; give --timing kernel");
  }
  if (point.pace || point.background) {
    refuse(call, point.pace ? "--pace" : "--background", "the server measures only on request; leave the option out");
  }
  if (point.threads > 1) {
    refuse(call, "--threads " + std::to_string(point.threads),
           "a slice takes about a millisecond, and starting the threads would take most of this time; leave --threads out");
  }
  if (workload_named(point.workload).is_reference_loop) {
    refuse(call, "--workload " + point.workload, "it is a reference loop and runs no erasure code; give another workload");
  }
}

/// The file descriptor of --arena.
int arena_of(const Call& call) {
  if (!call.arguments.has("arena"))
    throw Error(call.called + " needs --arena FD, where FD is the file descriptor of the shared memory, from memfd_create()");
  const std::string text = call.arguments.text("arena");
  const std::uint64_t descriptor = parse_count("--arena", text, 0);
  if (descriptor > std::numeric_limits<int>::max())
    throw Error("--arena " + text + " is not allowed: it is not a file descriptor; give the descriptor of the shared memory");
  return static_cast<int>(descriptor);
}

/// Reads commands, one per line, until "quit" or the end of the input. Throws Error for an unknown command. If "check" finds wrong
/// bytes, writes the answer and then throws Error.
void serve(const Point& point, int arena, const Registry& registry, const Prepared& prepared, std::istream& in, std::ostream& out) {
  const EncodedObject& object = *prepared.object;
  const Workload& workload = *prepared.workload;
  Slices slices(point, object, workload, arena);
  out << on_one_line(greeting(point, registry, object, workload, slices)) << '\n' << std::flush;
  for (std::string line; out && std::getline(in, line) && line != "quit";) out << answer(line, slices, out) << '\n' << std::flush;
}

}  // namespace

void add_serve_options(po::options_description& options, bool as_ceph) {
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("arena", text()->value_name("FD"), "descriptor of the shared memory (memfd_create)");
  options.add_options()("strict", "fail if the machine is not suitable for measurements");
  add_point_options(options, as_ceph,
                    {"plugin", "parameter", "workload", "size", "erasures", "erased", "erasures-generation", "want", "changed",
                     "seed", "codec-lib", "cache", "timing", "stripe-unit", "fill", "threads", "cpu", "dispatch"});
  options.add_options()("input", text()->value_name("FILE"), "read the object from FILE");
  add_plugin_directory(options);
}

int run_serve(const Call& call) {
  MeasureOptions options = take_measure_options(call);
  check_servable(call, options);
  const int arena = arena_of(call);
  options.length_given = true;  // each request sets the number of iterations
  Registry registry = registry_of(options.plugins);
  SetUp set_up;
  const ResolvedPoint resolved = resolve(call, options, registry, set_up);
  serve(resolved.point, arena, registry, prepare(options, resolved, set_up), std::cin, std::cout);
  return 0;
}

}  // namespace ecbench
