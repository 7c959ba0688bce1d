#include "cli/run.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/profiling/process_end.h"
#include "benchmark/warnings/remarks.h"
#include "cli/describe.h"
#include "cli/listing.h"
#include "cli/measure_point.h"
#include "cli/modes.h"
#include "cli/overlaps.h"
#include "cli/restore_options.h"
#include "cli/show_reads.h"
#include "cli/version.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

/// With the kernels and libraries of the named plugin, or of all.
void print_environment(const Options& options, Registry& registry) {
  std::map<std::string, std::string> kernels;
  const Limits limits = limits_of(options.point);
  for (const std::string& name : options.plugin_given ? std::vector{options.point.plugin} : registry.names()) {
    try {
      Profile first({{"technique", registry.load(name).techniques.front().name}});
      if (first.text("technique").empty()) first.erase("technique");
      kernels[name] = info_of(*registry.make(name, first, limits)).kernel();
    } catch (const Error& error) {
      if (options.plugin_given) throw;
      say("the JSON object \"kernels\" has no entry for plugin " + name + ": " + error.what());
    }
  }
  if (!options.point.codec_lib.empty()) static_cast<void>(codec_libraries_of(options.point.codec_lib));
  Environment environment = environment_of(options);
  environment.kernels = kernels;
  if (options.strict) require_fit(environment);
  std::cout << environment_text(environment) << '\n' << std::flush;
  for (const Remark& reason : unfit(environment)) say(reason.text);
}

}  // namespace

namespace {

/// By the number of bytes that were left out.
std::string without_middle(const std::string& text, std::size_t most, std::size_t first, std::size_t last) {
  if (text.size() <= most) return text;
  const auto character_at = [&](std::size_t at) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) at++;  // not inside a UTF-8 character
    return at;
  };
  const std::size_t begin = character_at(first);
  const std::size_t end = character_at(text.size() - last);
  return text.substr(0, begin) + "[... " + std::to_string(end - begin) + " bytes ...]" + text.substr(end);
}

std::string shortened(const std::string& message) {
  std::string text;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find(' ', begin), message.size() - 1) + 1;
    text += without_middle(message.substr(begin, end - begin), 500, 100, 100);
    begin = end;
  }
  return without_middle(text, 5000, 2000, 2000);
}

/// For example "2 notes: not_pinned, no_reference".
std::string counted_codes(const Remarks& remarks, const std::string& kind) {
  std::string text = std::to_string(remarks.size()) + " " + kind + (remarks.size() == 1 ? "" : "s");
  for (const Remark& remark : remarks) text += (&remark == &remarks.front() ? ": " : ", ") + remark.code;
  return text;
}

}  // namespace

// Values from users and texts from plugins can contain any bytes.
std::string one_line(const std::string& message) {
  std::string line = message;
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return shortened(line);
}

void say(const std::string& message) {
  std::cerr << one_line("ecbench: " + message) << '\n' << std::flush;
}

std::jthread after(double seconds, std::function<void()> call) {
  const auto wait = [=](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    if (!stop.stop_requested()) call();
  };
  return std::jthread(wait);
}

void flush_output() {
  std::cout.flush();
  if (!std::cout) throw Error("cannot write to standard output");
}

void note(const Options& options, const std::string& message) {
  if (!options.as_ceph) say(message);
}

void say_remarks(const Options& options, const Remarks& warnings, const Remarks& notes) {
  if (options.as_ceph || !std::cout.flush()) return;  // main() reports that the result could not be written
  std::string line;
  for (const auto& [remarks, kind] : {std::pair(&warnings, "warning"), std::pair(&notes, "note")}) {
    if (remarks->empty()) continue;
    line += (line.empty() ? "" : "; ") + counted_codes(*remarks, kind);
    for (const Remark& remark : *remarks) {
      if (options.verbose) say(kind + (": " + remark.text));
    }
  }
  if (line.empty() || options.verbose) return;
  say(line + (warnings.size() + notes.size() == 1 ? " (--verbose shows it)" : " (--verbose shows them)"));
}

Environment environment_of(const Options& options) {
  Environment environment = read_environment(options.arguments);
  environment.threads = options.point.threads;
  environment.pinned_cpus = options.point.cpus;
  return environment;
}

Limits limits_of(const Point& point) {
  return {.dispatch = point.dispatch, .threads = point.threads + (point.background ? background_point(point).threads : 0)};
}

void prepare_for_plugin(const PluginFile& plugin) {
  blame_for_process_end(plugin.name);
  if (plugin.ends_process) continue_in_child();
}

/// The width of the terminal. COLUMNS has priority, as in other programs. Without a terminal: the largest number.
unsigned terminal_columns() {
  const char* given = std::getenv("COLUMNS");
  if (const unsigned long columns = given != nullptr ? std::strtoul(given, nullptr, 10) : 0; columns > 0) {
    return static_cast<unsigned>(columns);
  }
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : std::numeric_limits<unsigned>::max();
}

int run(const std::vector<std::string>& arguments) {
  start_mode(arguments);
  const Options options = parse_options(arguments);
  if (options.help) std::cout << help_text(options.program, terminal_columns());
  if (options.version) print_version(options.format, std::cout);
  if (options.schema) std::cout << row_schema() << '\n';
  if (options.help || options.version || options.schema) return 0;
  for (const std::string& warning : options.warnings) note(options, warning);
  if (!options.missing_plugin_directory.empty())
    say("note: the plugin directory " + options.missing_plugin_directory + " does not exist; ecbench's own plugins are used");
  check_overlaps(options);
  if (!options.describe_file.empty()) {
    describe_points(options, std::cout);
    return 0;
  }
  Registry registry(Registry::default_directory(options.plugin_directory),
                    [&options](const std::string& message) { note(options, message); });
  if (options.as_ceph) registry.ignore_unknown_parameters();
  registry.before_loading([&](const PluginFile& plugin) {
    prepare_for_plugin(plugin);
    if (!options.point.codec_lib.empty()) load_codec_libraries(options.point.codec_lib, plugin.path);
  });
  if (!options.chunks_in_directory.empty()) {
    const RestoreRequest request = restore_request(options);
    restore_object(request, registry, std::cout, say);
    return 0;
  }
  if (options.show_reads) {
    show_reads(options, registry, std::cout);
    return 0;
  }
  if (options.list) return list_plugins(registry, options.format, std::cout) ? 0 : 1;
  if (options.environment) {
    print_environment(options, registry);
    return 0;
  }
  measure_point(options, registry);
  return 0;
}

}  // namespace ecbench
