#include "restore/json_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

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

/// Makes lists of the objects with the key `list_key`. Of values with equal keys, nlohmann::json keeps only one.
class ListMaker {
 public:
  explicit ListMaker(const std::string& list_key) : list_key_(list_key) {}

  void see(Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      const bool is_found = event == Event::object_start && !open_.empty() && !list_key_.empty() && open_.back().key == list_key_;
      open_.emplace_back().is_found = is_found;
    } else if (event == Event::key) {
      open_.back().key = parsed.get<std::string>();
    } else if (event == Event::object_end || event == Event::array_end) {
      if (open_.back().is_found) parsed = open_.back().values;
      open_.pop_back();
      if (!open_.empty() && open_.back().is_found) open_.back().values.push_back(parsed);
    }
  }

 private:
  /// An object or a list that the parser has not yet finished.
  struct Open {
    std::string key;  // the last one of an object
    bool is_found = false;
    Json values = Json::array();  // if it is found
  };

  const std::string& list_key_;
  std::vector<Open> open_;
};

}  // namespace

std::optional<Json> read_json(const fs::path& file, std::size_t most_mebibytes, int most_depth, const Refuse& refuse,
                              const std::string& list_key) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open() && errno == ENOENT && !fs::is_symlink(file)) return std::nullopt;
  if (!descriptor.is_open()) fail(file);
  // With deeply nested lists, the parsed value could be 60 times as large as the file.
  ListMaker lists(list_key);
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > most_depth) refuse("it is nested too deeply");
    lists.see(event, parsed);
    return true;
  };
  try {
    return Json::parse(text_of(file, descriptor, most_mebibytes, refuse), check);
  } catch (const Json::exception&) {
    refuse("it is not JSON");
    throw;
  }
}

}  // namespace ecbench
