#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>

#include "cli/commands.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr unsigned narrowest_help = 40;
constexpr unsigned widest_help = 100;  // columns
constexpr unsigned names_in_help = 34;

/// If several words of 1.0 are given, the first of these commands is chosen. measure is the last, because it needs no word.
// clang-format off
const std::array<Command, 10> commands{{
  {"version", "version", "", add_version_options, run_version, true,
   "Prints the version and the compiler; as JSON, also the features of this build."},
  {"schema", "schema", "", add_schema_options, run_schema, true,
   "Prints the JSON schema of a row: all keys with their meaning, and the columns of the table."},
  {"describe", "describe", "FILE", add_describe_options, run_describe, false,
   "Reads lines {\"words\": [OPTION, ...]} from FILE (- for standard input). For each line, prints as JSON what would be "
   "measured, or why the line would be refused. Measures nothing."},
  {"restore", "chunks-in", "DIR", add_restore_options, run_restore, false,
   "Decodes an object from its chunks, the files 0 to n-1 in DIR; missing chunks are treated as lost. Profile, sizes and "
   "digests are from DIR/manifest.json, from the files of Ceph, or from options."},
  {"reads", "show-reads", "", add_reads_options, run_reads, true,
   "Prints which chunks are read to rebuild the chunks of --erased, or those of every loss of --erasures N chunks."},
  {"list", "list", "", add_list_options, run_list, true,
   "Prints the plugins with their techniques, parameters, defaults and ranges."},
  {"environment", "environment", "", add_environment_options, run_environment, true,
   "Prints JSON that describes the machine, this build, and the codec libraries of --plugin (default: of all plugins)."},
  {"serve", "serve-slices", "", add_serve_options, run_serve, false,
   "For bench.sh gate: prints the point as a line of JSON, then reads commands from standard input; 'time N' times N "
   "iterations."},
  {"chunks", "chunks-out", "DIR", add_measure_options, run_chunks, false,
   "Encodes an object, and writes its chunks to files 0 to n-1 in DIR, which must be new or empty, with a manifest. Prints "
   "the row of one iteration."},
  {"measure", "", "", add_measure_options, run_measure, false,
   "Times an erasure code: encodes, decodes, repairs or overwrites an object and prints a row. Example: -p jerasure -P "
   "technique=cauchy_good -P k=6 -P m=2 -w decode -e 2"},
}};
// clang-format on
const Command& measuring = commands.back();

po::options_description options_of(const Command& command, bool as_ceph) {
  po::options_description options;
  options.add_options()("help,h", "print this help");
  command.add_options(options, as_ceph);
  if (!command.operand.empty()) {
    options.add_options()(command.word.c_str(), po::value<std::string>()->value_name(command.operand), "");
  } else if (!command.word.empty()) {
    options.add_options()(command.word.c_str(), "");
  }
  return options;
}

struct Chosen {
  const Command* command;
  std::string called;
  std::vector<std::string> words;  ///< without the name of the command
};

/// A name is the first word; a word of 1.0 can have any place.
Chosen choose(const std::vector<std::string>& argv) {
  std::vector<std::string> words(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
  const auto named = std::ranges::find_if(commands, [&](const Command& command) {
    return !words.empty() && words.front() == command.name && !has_name_of_ceph_tool(argv.front());
  });
  if (named != commands.end()) {
    words.erase(words.begin());
    const bool has_operand = !words.empty() && (!words.front().starts_with("-") || words.front() == "-");
    if (has_operand && !named->operand.empty()) words.front().insert(0, "--" + named->word + "=");
    return {named, named->name, words};
  }
  std::set<std::string> given;
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    if (word->starts_with("--")) given.insert(option_named(word->substr(2, word->find('=') - 2), all_options(false)));
  }
  for (const Command& command : commands) {
    if (given.count(command.word) != 0 && !command.word.empty()) return {&command, "--" + command.word, words};
  }
  return {&measuring, "", words};
}

/// After "--OPTION is not allowed".
std::string why_not(const Chosen& chosen, const std::string& program, const std::string& option) {
  if (!chosen.called.empty()) {
    return " with " + chosen.called + "; leave it out ('" + program + " " + chosen.command->name + " --help' lists the options)";
  }
  const auto other = std::ranges::find_if(
      commands, [&](const Command& command) { return options_of(command, false).find_nothrow(option, false) != nullptr; });
  return " without --" + other->word + " (the command " + other->name + "); leave --" + option + " out, or give both";
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

/// Words of `text` in lines of at most `columns`. Further lines are indented.
void print_wrapped(const std::string& text, unsigned columns, std::ostream& out, std::size_t begin = 0) {
  std::istringstream words(text);
  std::size_t column = begin;
  for (std::string word; words >> word; column += word.size()) {
    const bool is_first = column == begin;
    if (!is_first && column + 1 + word.size() > columns) {
      out << '\n' << std::string(begin, ' ');
      column = begin;
    } else if (!is_first) {
      out << ' ';
      column++;
    }
    out << word;
  }
  out << '\n';
}

/// "-p, --plugin NAME"
std::string shown(const po::option_description& option) {
  const std::string name = option.format_name();  // "-p [ --plugin ]", or "--strict"
  const std::string value = option.format_parameter();
  return (name.starts_with("--") ? "    " : name.substr(0, 2) + ", ") + "--" + option.long_name() +
         (value.empty() ? "" : " " + value);
}

void print_help(const Command& command, const Call& call) {
  const unsigned columns = std::clamp(terminal_columns(), narrowest_help, widest_help);
  const std::string program = fs::path(call.program()).filename().string();
  const bool is_measure = &command == &measuring;
  std::ostream& out = std::cout;
  out << "usage: " << program << (is_measure ? "" : " " + command.name) << (command.operand.empty() ? "" : " " + command.operand)
      << " [options]\n";
  if (is_measure && !has_name_of_ceph_tool(program)) {
    out << "       " << program << " MODE [arguments]   (" << program << " help lists all modes)\n";
    std::string others = "Commands (" + program + " COMMAND --help), also as options:";
    for (const Command& other : commands) {
      if (&other != &measuring) others += " " + other.name + "|--" + other.word + (&other == &measuring - 1 ? "." : ",");
    }
    print_wrapped(others, columns, out);
  }
  out << '\n';
  print_wrapped(command.summary, columns, out);
  out << "\nOptions:\n";
  std::string others;
  const po::options_description own = options_of(command, call.as_ceph);
  for (const auto& option : own.options()) {
    if (!option->description().empty()) {
      out << "  " << std::left << std::setw(names_in_help - 2) << shown(*option);
      print_wrapped(option->description(), columns, out, names_in_help);
    } else if (option->long_name() != command.word) {
      others += (others.empty() ? "More (docs/results.md): --" : ", --") + option->long_name();
    }
  }
  if (!others.empty()) print_wrapped(others, columns, out);
}

/// mode.py, which starts all modes, in the installation or in the clone with this build; empty if there is none. `folder`: of
/// ecbench.
fs::path program_of_modes(const fs::path& folder) {
  std::error_code error;
  for (const char* scripts : {ECBENCH_SCRIPTS_FROM_BINARY, "../scripts"}) {
    const fs::path program = (folder / scripts / "mode.py").lexically_normal();
    if (fs::is_regular_file(program, error)) return program;
  }
  return {};
}

/// A bundle has its own, libexec/python3 next to `folder`, which contains ecbench.
std::string python_for(const fs::path& folder) {
  std::error_code error;
  for (const fs::path& python : {(folder / "../libexec/python3").lexically_normal(), fs::path("/usr/bin/python3")}) {
    if (fs::exists(python, error)) return python.string();
  }
  return "python3";
}

/// Replaces this process by mode.py, which starts the mode with the name in argv[1]. If no mode has this name, mode.py prints an
/// error. Does nothing if argv[1] is missing, is empty, is an option, or has the form KEY=VALUE. Also does nothing if the program
/// has the name of Ceph's tool, or if mode.py does not exist. Throws Error if Python cannot be run.
void start_mode(const std::vector<std::string>& argv) {
  if (argv.size() < 2 || has_name_of_ceph_tool(argv[0])) return;
  const std::string& mode = argv[1];
  if (mode.empty() || mode.starts_with('-') || mode.find('=') != std::string::npos) return;
  const fs::path folder = program_directory();
  const fs::path program = program_of_modes(folder);
  if (program.empty()) return;
  // -E: ignores PYTHON*; -s: ignores the user's packages; -B: writes no .pyc files next to the installed files.
  std::vector<std::string> words{python_for(folder), "-E", "-s", "-B", program.string()};
  words.insert(words.end(), argv.begin() + 1, argv.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // Python unblocks these signals after it has installed handlers; before, it would print a traceback.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  execvp(pointers[0], pointers.data());
  throw Error("mode " + mode + " needs Python: " + words[0] + " cannot be run (" + std::strerror(errno) +
              "); install the package python3");
}

}  // namespace

void flush_output() {
  std::cout.flush();
  if (!std::cout) throw Error("cannot write to standard output");
}

bool is_json(const Call& call) {
  const std::string format = call.arguments.text("format", "table");
  if (format == "table" || format == "json") return format == "json";
  throw Error("--format " + format + " is not allowed with " + call.called + ": give table or json");
}

Files files_in(const fs::path& folder, const std::string& of, bool (*is_used)(const std::string& name)) {
  Files files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_used(name)) files.emplace_back((folder / name).string() + " of " + of, folder / name);
  }
  return files;
}

void check_overlap(const Files& outputs, Files inputs, const std::string& plugin_directory) {
  const auto real_path = [](const fs::path& path) {
    std::error_code error;
    const fs::path real = path.empty() ? path : fs::weakly_canonical(path, error);
    return !fs::exists(real, error) || fs::is_regular_file(real, error) ? real : fs::path();  // devices can be both
  };
  Files written = outputs;
  written.emplace_back("standard output", "/dev/stdout");
  std::erase_if(written, [&](auto& file) { return (file.second = real_path(file.second)).empty(); });
  if (written.empty()) return;
  inputs.emplace_back("the program", own_program());
  const Files plugins = files_in(Registry::default_directory(plugin_directory), "the plugin directory",
                                 [](const std::string& name) { return name.starts_with("libec_"); });
  inputs.insert(inputs.end(), plugins.begin(), plugins.end());
  for (const auto& [input, path] : inputs) {
    const auto same = std::ranges::find(written, real_path(path), &Files::value_type::second);
    if (same != written.end())
      throw Error(same->first + " is not allowed: it is the same file as " + input + "; give another file");
  }
}

const po::options_description& all_options(bool as_ceph) {
  static std::array<po::options_description, 2> all;
  po::options_description& options = all.at(as_ceph ? 1 : 0);
  if (!options.options().empty()) return options;
  for (auto command = commands.rbegin(); command != commands.rend(); ++command) {  // measure first, for suggestions
    const po::options_description own = options_of(*command, as_ceph);
    for (const auto& option : own.options()) {
      if (options.find_nothrow(option->long_name(), false) == nullptr) options.add(option);
    }
  }
  return options;
}

std::map<std::string, std::vector<std::string>> command_options() {
  std::map<std::string, std::vector<std::string>> names;
  for (const Command& command : commands) {
    const po::options_description own = options_of(command, false);
    for (const auto& option : own.options()) names[command.name].push_back(option->long_name());
  }
  return names;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names = command_options()[measuring.name];
  for (const Command& command : commands) {
    if (&command != &measuring) names.push_back(command.word);
  }
  return names;
}

int run(const std::vector<std::string>& argv) {
  Chosen chosen = choose(argv);
  if (chosen.called.empty()) start_mode(argv);
  Call call{.argv = argv, .called = chosen.called};
  call.as_ceph = is_ceph_command(call.program(), chosen.words);
  const po::options_description& all = all_options(call.as_ceph);
  if (call.as_ceph) chosen.words = ceph_words(chosen.words, all);
  const bool ignores_others = chosen.command->ignores_others && chosen.called.starts_with("--");
  const po::options_description own = ignores_others ? all : options_of(*chosen.command, call.as_ceph);
  const std::string program = fs::path(call.program()).filename().string();
  const Grammar grammar{all, own, [&](const std::string& option) { return why_not(chosen, program, option); }, call.as_ceph};
  call.arguments = parse_arguments(chosen.words, grammar);
  if (!call.arguments.has("help")) return chosen.command->run(call);
  print_help(*chosen.command, call);
  return 0;
}

}  // namespace ecbench
