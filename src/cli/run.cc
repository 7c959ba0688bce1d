#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "benchmark/encoded_object.h"
#include "benchmark/measure.h"
#include "benchmark/memory.h"
#include "benchmark/object.h"
#include "cli/chunk_files.h"
#include "cli/command_line.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/version.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "report/reporter.h"

namespace ecbench {
namespace {

// As Ceph's tool prints it.
void print_pattern(const Positions& erased, int chunk_count) {
  std::cerr << "chunks ";
  for (int position = 0; position < chunk_count; position++) {
    const bool lost = std::ranges::find(erased, position) != erased.end();
    std::cerr << (lost ? "(" : " ") << position << (lost ? ")" : " ") << ' ';
  }
  std::cerr << "(X) is an erased chunk\n";
}

/// The object, once it is known that it fits in memory with all that is computed from it.
std::vector<std::uint8_t> object_bytes(const Options& options, const ErasureCode& code) {
  std::size_t size_bytes = options.point.size_bytes;
  std::error_code not_a_file;
  if (size_bytes == 0) size_bytes = std::filesystem::file_size(options.input_file, not_a_file);
  if (!not_a_file && size_bytes > 0) require_memory(size_bytes, code.chunk_count(), code.chunk_size(size_bytes));
  if (options.input_file.empty()) return random_object(size_bytes, options.point.seed);
  return object_from_file(options.input_file, options.point.size_bytes);
}

void measure_and_print(Options& options, Registry& registry) {
  Point& point = options.point;
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, point.profile);
  check_erasures(point, code->chunk_count(), code->coding_chunk_count());
  if (point.workload == "encode") point.erasures = 0;
  std::vector<std::uint8_t> bytes = object_bytes(options, *code);
  point.size_bytes = bytes.size();
  const EncodedObject object(*code, bytes);
  std::vector<std::uint8_t>().swap(bytes);
  if (!options.chunks_directory.empty()) write_chunk_files(options.chunks_directory, object.chunks());
  const std::unique_ptr<Workload> workload = make_workload(point, object);
  if (!workload->note().empty()) say(workload->note());
  if (options.verbose) {
    for (const Positions& erased : workload->erased()) print_pattern(erased, code->chunk_count());
  }
  const Row row{measure(point, object, *workload), command_line(options, point.profile)};
  make_reporter(options.format, isatty(STDOUT_FILENO) != 0)->print(row, std::cout);
}

}  // namespace

void say(const std::string& message) { std::cerr << "ecbench: " << message << std::endl; }

int run(const std::vector<std::string>& arguments) {
  Options options = parse_options(arguments);
  if (options.help) std::cout << help_text(options.program);
  if (options.version) std::cout << version_text();
  if (options.help || options.version) return 0;
  for (const std::string& warning : options.warnings) say(warning);
  Registry registry(Registry::default_directory(options.plugin_directory), say);
  if (options.list) return print_plugins(registry, std::cout, std::cerr) ? 0 : 1;
  measure_and_print(options, registry);
  return 0;
}

}  // namespace ecbench
