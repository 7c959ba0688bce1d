// measure: the options of a measurement, and its steps, which chunks and serve share. First resolve(), then prepare(), then
// measure().

#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/erasures/erasures.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/pace/pace.h"
#include "benchmark/workloads/workload.h"
#include "cli/commands.h"

namespace ecbench {

struct MeasureOptions : PointOptions {
  bool strict = false;  ///< a warning, or a machine that is not suitable for measurements, is an error
  bool verbose = false;
  std::string format;
  std::string output_file;          ///< run file to which the row is appended; "" for none
  std::string symbols_file;         ///< file to which --symbols writes the addresses of the kernels; "" without the option
  bool count_instructions = false;  ///< also count instructions
  std::string instructions_file;    ///< file for the number of executions of each instruction; "" without --instructions-out
};

/// Throws Error for values that are not allowed, and for an output that is an input.
MeasureOptions take_measure_options(const Call& call);

/// A point with all values, also those that the command line does not set.
struct ResolvedPoint {
  const Point point;  ///< with all parameters of the code and the object's size; no erasures if the workload loses no chunks
  const WorkloadDescriptor& workload;
  const std::unique_ptr<const ErasureCode> code;
  const std::vector<SharedObject> codec_libraries;  ///< the libraries in point.codec_lib that the loaded plugins use
  const std::vector<LostChunk> lost;                ///< the chunks that a repair workload rebuilds, one at a time
};

/// From resolve() to prepare().
struct SetUp {
  std::vector<std::uint8_t> object;
  std::jthread notice;  ///< says on a terminal that set-up takes long
};

/// Loads the plugin, makes the code, and then the object, whose size is known only then if --input is a pipe. Throws Error if the
/// point cannot be measured or, with --strict, the machine is not suitable.
ResolvedPoint resolve(const Call& call, const MeasureOptions& options, Registry& registry, SetUp& set_up);

struct Prepared {
  std::unique_ptr<const EncodedObject> object;
  std::unique_ptr<const Workload> workload;
  std::unique_ptr<BackgroundWork> background;  ///< null without --background
};

/// Ends the set-up. Also writes the file of --symbols, and prints the patterns.
Prepared prepare(const MeasureOptions& options, const ResolvedPoint& resolved, SetUp& set_up);

/// Prints the row. Throws Error if the point cannot be measured, or for a warning with --strict.
void measure(const Call& call, const MeasureOptions& options, const ResolvedPoint& resolved, const Prepared& prepared);

}  // namespace ecbench
