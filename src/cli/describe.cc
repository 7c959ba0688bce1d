#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/profiling/profiling.h"
#include "cli/commands.h"
#include "erasure_code/descriptor.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_patterns_by_default = 5000;
constexpr std::uint64_t most_patterns_limit = 1'000'000;
constexpr std::streamsize most_line_bytes = 1 << 20;

struct Question {
  std::vector<std::string> words;
  std::optional<std::uint64_t> losses;
  std::uint64_t most_patterns = most_patterns_by_default;
};

std::uint64_t count_of(const std::string& key, const Json& value, std::uint64_t maximum) {
  if (value.is_number_unsigned() && value >= 1U && value <= maximum) return value.get<std::uint64_t>();
  throw Error("\"" + key + "\": " + on_one_line(value) + " is not allowed; give a whole number, 1 to " + std::to_string(maximum));
}

Question parse_question(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const std::string wanted = R"(: give {"words": ["-p", "isa", ...]}, and optionally "losses" and "most_patterns")";
  if (!json.is_object()) throw Error("the line is not a JSON object" + wanted);
  Question question;
  for (const auto& [key, value] : json.items()) {
    if (key == "words") {
      if (!value.is_array() || !std::ranges::all_of(value, [](const Json& word) { return word.is_string(); })) {
        throw Error("\"words\" is not a list of strings" + wanted);
      }
      question.words = value.get<std::vector<std::string>>();
    } else if (key == "losses") {
      question.losses = count_of(key, value, std::numeric_limits<int>::max());
    } else if (key == "most_patterns") {
      question.most_patterns = count_of(key, value, most_patterns_limit);
    } else {
      throw Error("\"" + key + "\" is unknown" + wanted);
    }
  }
  if (!json.contains("words")) throw Error("\"words\" is missing" + wanted);
  return question;
}

/// For the lines that this process answers: all with the same --codec-lib.
class Maker {
 public:
  Maker(std::filesystem::path directory, bool as_ceph) : directory_(std::move(directory)), as_ceph_(as_ceph) {}

  const std::filesystem::path& directory() const { return directory_; }
  /// The dispatch levels depend on the libraries, so another process answers for others.
  bool can_make(const Point& point) const { return !codec_lib_ || *codec_lib_ == point.codec_lib; }

  /// Does not warn about unused parameters: the answer lists them.
  std::unique_ptr<ErasureCode> make(Point& point) {
    if (!registry_) {
      registry_.emplace(directory_, [](const std::string&) {});
      if (as_ceph_) registry_->ignore_unknown_parameters();
      registry_->before_loading([this](const PluginFile& plugin) {
        prepare_for_plugin(plugin);
        if (!codec_lib_->empty()) load_codec_libraries(*codec_lib_, plugin.path);
      });
    }
    if (!point.codec_lib.empty()) check_codec_libraries(point.codec_lib, registry_->path_of(point.plugin));
    codec_lib_ = point.codec_lib;
    std::unique_ptr<ErasureCode> code = registry_->make(point.plugin, point.profile, limits_of(point));
    blame_for_process_end(point.plugin);
    return code;
  }

 private:
  std::filesystem::path directory_;
  bool as_ceph_;
  std::optional<Registry> registry_;
  std::optional<std::string> codec_lib_;  // --codec-lib of the loaded plugins; "": the system's libraries; absent: none loaded
};

/// Another process that answers lines, because a process can load the libraries of only one --codec-lib.
class DescribeProcess {
 public:
  /// `program` is its argv[0]. Throws Error if it cannot be started.
  DescribeProcess(const std::string& program, const std::filesystem::path& plugin_directory) {
    const auto refuse = [](int error) {
      throw Error(std::string("the process that answers lines with this --codec-lib cannot be started: ") + std::strerror(error));
    };
    std::array<int, 2> sockets{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) refuse(errno);
    socket_ = Descriptor(sockets[0]);
    const Descriptor other_end(sockets[1]);
    std::vector<std::string> words{program, "--describe", "-", "--erasure-code-dir", plugin_directory};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO})
      posix_spawn_file_actions_adddup2(&actions, other_end.number(), descriptor);
    const int error = posix_spawn(&process_, own_program().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) refuse(error);
  }

  /// Closes its input and waits for its end.
  ~DescribeProcess() {
    socket_ = Descriptor();  // for the other process, this is the end of its input
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  /// Without newlines. Throws Error, once, if the process has ended.
  std::string answer(const std::string& line) {
    const std::string sent = line + '\n';
    for (std::size_t done = 0; done < sent.size();) {
      const ssize_t count = send(socket_.number(), sent.data() + done, sent.size() - done, MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) break;
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    std::string received;
    std::array<char, 4096> buffer{};
    while (received.empty() || received.back() != '\n') {
      const ssize_t count = recv(socket_.number(), buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0)
        throw Error("no answer: the process that answers lines with this --codec-lib has ended; measure this point to see why");
      received.append(buffer.data(), static_cast<std::size_t>(count));
    }
    received.pop_back();
    return received;
  }

 private:
  Descriptor socket_;
  int process_ = -1;
};

using OtherProcesses = std::map<std::string, std::unique_ptr<DescribeProcess>>;  // by --codec-lib

/// Throws the error of a measurement that would refuse the lost chunks.
void check_loss(const Point& point, const ErasureCode& code) {
  const Losses losses = workload_named(point.workload).losses;
  if (losses == Losses::one) static_cast<void>(lost_chunks(code, point));
  if (losses != Losses::any || point.erased.empty()) return;
  static_cast<void>(decode_plan(code, point, point.erased));
}

Point point_of(const Question& question, const DescribeOptions& program) {
  std::vector<std::string> words = question.words;
  const bool as_ceph = is_ceph_command(program.program, words);
  if (as_ceph) words = ceph_words(words, all_options(as_ceph));
  po::options_description of_point;
  add_point_options(of_point, as_ceph);
  const auto why_not = [](const std::string&) {
    return std::string(" in a line of --describe: a line may have only options that describe a point");
  };
  const PointOptions options =
      take_point_options(parse_arguments(words, {all_options(as_ceph), of_point, why_not, as_ceph}), as_ceph);
  check_losses(options);
  return options.point;
}

Json description(const Question& question, Point point, Maker& maker) {
  const Profile given = point.profile;
  const std::unique_ptr<ErasureCode> code = maker.make(point);
  const WorkloadDescriptor& workload = workload_named(point.workload);
  if (workload.loses_chunks()) check_erasures(point, code->chunk_count(), code->coding_chunk_count());
  const std::size_t chunk_size = stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes);
  check_loss(point, *code);
  if (workload.overwrites) check_overwrite(*code, point, chunk_size);
  if (point.background) check_background(point, *code, chunk_size);
  require_memory_for(point, *code, point.size_bytes);
  Json json = description_json(point, *code, given);
  if (question.losses) json["losses"] = losses_json(*code, *question.losses, question.most_patterns, point.seed);
  return json;
}

/// After an exception, the answer has an error message, and the next lines are answered.
Json answer(const std::string& line, const Question& question, const DescribeOptions& program, Maker& maker,
            OtherProcesses& others) {
  try {
    Point point = point_of(question, program);
    if (maker.can_make(point)) return description(question, std::move(point), maker);
    std::unique_ptr<DescribeProcess>& process = others[point.codec_lib];
    try {
      if (process == nullptr) process = std::make_unique<DescribeProcess>(program.program, maker.directory());
      return Json::parse(process->answer(line));
    } catch (const Error&) {
      process.reset();
      throw;
    }
  } catch (const std::bad_alloc&) {
    return {{"refused", too_little_memory}};
  } catch (const std::exception& error) {
    return {{"refused", one_line(error.what())}};
  } catch (...) {
    return {{"refused", "the plugin failed: it threw something that is not an exception"}};
  }
}

}  // namespace

void describe_points(const DescribeOptions& options, std::istream& lines, std::ostream& out) {
  Maker maker(Registry::default_directory(options.plugins.directory), options.plugins.as_ceph);
  OtherProcesses others;
  std::vector<char> buffer(most_line_bytes + 1);
  std::uint64_t number = 1;
  for (; lines.getline(buffer.data(), most_line_bytes + 1); number++) {
    const std::string line(buffer.data(), static_cast<std::size_t>(lines.gcount()) - (lines.eof() ? 0 : 1));  // without the newline
    Question question;
    try {
      question = parse_question(line);
    } catch (const Error& error) {
      throw Error("--describe " + options.file + ": line " + std::to_string(number) + ": " + error.what());
    }
    out << on_one_line(answer(line, question, options, maker, others)) << "\n" << std::flush;
    if (!out) return;  // main reports the error
  }
  if (lines.bad()) throw Error("--describe " + options.file + " cannot be read completely");
  if (!lines.eof())
    throw Error("--describe " + options.file + ": line " + std::to_string(number) +
                " is longer than 1 MiB; give a line for each point");
}

void add_describe_options(po::options_description& options, bool) { add_plugin_directory(options); }

int run_describe(const Call& call) {
  const std::string name = call.arguments.path("describe");
  if (name.empty()) throw Error("describe needs a file: give ecbench describe FILE, or - for standard input");
  const DescribeOptions options{call.program(), name, take_plugin_options(call.arguments, call.as_ceph)};
  const bool is_stdin = name == "-";
  check_overlap({}, {{is_stdin ? "standard input" : "--describe " + name, is_stdin ? "/dev/stdin" : name}}, "");
  if (is_stdin) {
    describe_points(options, std::cin, std::cout);
    return 0;
  }
  std::error_code ignored;
  std::ifstream file(name);
  if (!file || std::filesystem::is_directory(name, ignored)) {
    throw Error("--describe " + name + " cannot be read: give a file with lines of JSON, or - for standard input");
  }
  describe_points(options, file, std::cout);
  return 0;
}

}  // namespace ecbench
