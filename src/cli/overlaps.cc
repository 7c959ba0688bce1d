#include "cli/overlaps.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "benchmark/sampling/probe_reference.h"
#include "erasure_code/error.h"
#include "erasure_code/own_program.h"
#include "erasure_code/registry.h"
#include "restore/chunk_files.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// Identity of a file → its text in messages.
using Files = std::map<std::string, std::string>;

std::string identity_of(const struct stat& status) {
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

/// False for pipes and character devices such as /dev/null.
bool can_be_destroyed(const struct stat& status) {
  return S_ISREG(status.st_mode) || S_ISBLK(status.st_mode) || S_ISDIR(status.st_mode);
}

/// The same for all paths to a file; for a new file, that of the last existing directory and the rest of the path. Nothing for
/// files that cannot be destroyed.
std::optional<std::string> identity_of(const fs::path& path) {
  fs::path existing = link_target(path);
  fs::path rest;
  struct stat status {};
  std::error_code error;
  // --chunks-out creates missing directories, so a path such as `new/..` is valid even if `new` does not exist yet.
  if (!fs::exists(existing, error)) existing = fs::weakly_canonical(existing, error);
  while (stat(existing.empty() ? "." : existing.c_str(), &status) != 0) {
    rest = existing.filename() / rest;
    const fs::path parent = existing.parent_path();
    if (parent == existing) return std::nullopt;
    existing = parent;
  }
  if (rest.empty() && !can_be_destroyed(status)) return std::nullopt;
  return identity_of(status) + (rest.empty() ? "" : "/" + rest.lexically_normal().string());
}

void add(Files& files, const std::string& words, const fs::path& path) {
  if (const std::optional<std::string> identity = identity_of(path)) files.emplace(*identity, words);
}

void add_option(Files& files, const std::string& option, const std::string& path) {
  if (!path.empty()) add(files, option + " " + path, path);
}

void add_descriptor(Files& files, const std::string& words, int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && can_be_destroyed(status)) files.emplace(identity_of(status), words);
}

void add_files_in(Files& files, const std::string& option, const fs::path& folder,
                  const std::function<bool(const std::string& name)>& is_used) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_used(name)) add(files, (folder / name).string() + " of " + option, folder / name);
  }
}

Files files_read(const Options& options) {
  const auto is_plugin = [](const std::string& name) { return name.starts_with("libec_"); };
  const auto is_any = [](const std::string&) { return true; };
  Files files;
  add_option(files, "--input", options.input_file);
  if (options.describe_file == "-") {
    add_descriptor(files, "standard input", STDIN_FILENO);
  } else {
    add_option(files, "--describe", options.describe_file);
  }
  if (!options.chunks_in_directory.empty()) {
    add_files_in(files, "--chunks-in", options.chunks_in_directory, belongs_to_chunk_set);
  }
  add_option(files, "--ceph-dump", options.ceph_dump_file);
  add_option(files, "--osdmap", options.osdmap_file);
  if (!options.point.codec_lib.empty()) add_files_in(files, "--codec-lib", options.point.codec_lib, is_any);
  add_files_in(files, "the plugin directory", Registry::default_directory(options.plugin_directory), is_plugin);
  add(files, "the program", own_program());
  add_option(files, "the file in which ecbench stores the speeds of its probes,", reference_file().string());
  return files;
}

/// Texts for messages, such as "--output FILE", and paths.
std::vector<std::pair<std::string, fs::path>> single_outputs(const Options& options) {
  std::vector<std::pair<std::string, fs::path>> outputs;
  for (const auto& [option, path] : {std::pair<std::string, std::string>{"--output", options.output_file},
                                     {"--symbols", options.symbols_file},
                                     {"--instructions-out", options.instructions_file},
                                     {"--object-out", options.object_file},
                                     {"--limit-file", options.point.sampling.limit_file}}) {
    if (!path.empty()) outputs.emplace_back(option + " " + path, path);
  }
  return outputs;
}

[[noreturn]] void refuse(const std::string& output, const std::string& other) {
  throw Error(output + " is not allowed: it is the same file as " + other + "; give another file");
}

class Outputs {
 public:
  explicit Outputs(const Options& options) : folder_(options.chunks_directory) {
    if (folder_.empty()) return;
    check_new_or_empty(folder_);
    folder_identity_ = identity_of(folder_);
    add_option(files_, "--chunks-out", folder_);
  }

  bool are_none() const { return files_.empty(); }

  /// `words` describe it in messages. Throws Error if it is already an output.
  void add(const std::string& words, const std::string& identity) {
    const auto [entry, is_new] = files_.emplace(identity, words);
    if (!is_new) refuse(words, entry->second);
  }

  /// If --chunks-out could write it: chunk files that do not exist yet are not in `files_`, so directory and name are compared.
  void check_name(const std::string& words, const fs::path& path) const {
    const fs::path target = link_target(path);
    if (folder_.empty() || !belongs_to_chunk_set(target.filename().string())) return;
    if (identity_of(target.parent_path().empty() ? "." : target.parent_path()) == folder_identity_) {
      refuse(words, "a chunk file or the manifest of --chunks-out " + folder_);
    }
  }

  const Files& files() const { return files_; }

 private:
  std::string folder_;
  std::optional<std::string> folder_identity_;
  Files files_;
};

}  // namespace

void check_overlaps(const Options& options) {
  Outputs outputs(options);
  for (const auto& [words, path] : single_outputs(options)) {
    outputs.check_name(words, path);
    if (const std::optional<std::string> identity = identity_of(path)) outputs.add(words, *identity);
  }
  struct stat status {};
  if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) outputs.add("standard output", identity_of(status));
  if (outputs.are_none()) return;
  const Files read = files_read(options);
  for (const auto& [identity, words] : outputs.files()) {
    if (const auto found = read.find(identity); found != read.end()) refuse(words, found->second);
  }
}

}  // namespace ecbench
