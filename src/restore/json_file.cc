#include "restore/json_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "erasure_code/error.h"
#include "restore/descriptor.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;
using Refuse = std::function<void(const std::string& why)>;

[[noreturn]] void fail(const fs::path& file) {
  throw Error("cannot read " + file.string() + ": " + std::strerror(errno));
}

std::string text_of(const fs::path& file, const Descriptor& descriptor, std::size_t most_mebibytes, const Refuse& refuse) {
  struct stat status {};
  if (fstat(descriptor.number(), &status) != 0) fail(file);
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  if (static_cast<std::size_t>(status.st_size) > most_mebibytes << 20) {
    refuse("it is larger than " + std::to_string(most_mebibytes) + " MiB");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t size = read(descriptor.number(), text.data() + got, text.size() - got);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail(file);
    if (size == 0) break;
    got += static_cast<std::size_t>(size);
  }
  text.resize(got);
  return text;
}

}  // namespace

std::optional<Json> read_json(const fs::path& file, std::size_t most_mebibytes, int most_depth, const Refuse& refuse) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open() && errno == ENOENT && !fs::is_symlink(file)) return std::nullopt;
  if (!descriptor.is_open()) fail(file);
  // With deeply nested lists, the parsed value could be 60 times as large as the file.
  const auto is_shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > most_depth) refuse("it is nested too deeply");
    return true;
  };
  try {
    return Json::parse(text_of(file, descriptor, most_mebibytes, refuse), is_shallow);
  } catch (const Json::exception&) {
    refuse("it is not JSON");
    throw;
  }
}

}  // namespace ecbench
