// Fuzzes --chunks-in, which restores an object from a chunk directory. The input consists of a request and of the files of the
// chunk directory:
//
//     key=value       a line of the request: an option, or a parameter of the profile
//     --- NAME SIZE   a file NAME of SIZE bytes; the bytes follow this line
//
// The keys plugin, size, stripe_unit, crc32c, ceph_pool and erased are options of the request. All other keys are parameters of the
// profile. NAME is manifest.json, ceph-dump or osdmap (the files of --ceph-dump and --osdmap), or the name of a chunk file, which
// has at most 3 characters. If an object is restored, it must have the requested size.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/arguments.h"
#include "erasure_code/error.h"
#include "restore/restore.h"
#include "test/fuzz/fuzz.h"
#include "test/temporary.h"

namespace {

using namespace ecbench;
namespace fs = std::filesystem;

void set_option(RestoreRequest& request, const std::string& line) {
  const std::size_t equals = std::min(line.find('='), line.size());
  const std::string key = line.substr(0, equals);
  const std::string value = line.substr(std::min(equals + 1, line.size()));
  if (key == "plugin") {
    request.plugin = value;
  } else if (key == "size") {
    request.object_size_bytes = parse_size("size", value);
  } else if (key == "stripe_unit") {
    request.stripe_unit_bytes = parse_size("stripe-unit", value);
  } else if (key == "crc32c") {
    request.crc32c = static_cast<std::uint32_t>(parse_count("crc32c", value, 0));
  } else if (key == "ceph_pool") {
    request.ceph_pool = value;
  } else if (key == "erased") {
    const auto position = static_cast<int>(parse_count("erased", value, 0) % 100);
    if (request.erased.empty() || request.erased.back() < position) request.erased.push_back(position);
  } else {
    request.profile.add(line);
  }
}

/// Writes one of the files in the input to the directory of the request. `header` is the line "--- NAME SIZE" without "--- ". The
/// bytes of the file start at position `begin` of `text`. Returns the position after the last byte of the file.
std::size_t write_file(RestoreRequest& request, const std::string& header, const std::string& text, std::size_t begin) {
  const fs::path folder = request.directory;
  std::istringstream words(header);
  std::string name;
  std::size_t size = 0;
  words >> name >> size;
  size = std::min(size, text.size() - begin);
  if (name == "ceph-dump") request.ceph_dump_file = folder / name;
  if (name == "osdmap") request.osdmap_file = folder / name;
  if (name == "manifest.json" || name == "ceph-dump" || name == "osdmap" ||
      (!name.empty() && name.size() <= 3 && name.find_first_of("./") == std::string::npos)) {
    std::ofstream(folder / name, std::ios::binary).write(text.data() + begin, static_cast<std::streamsize>(size));
  }
  return begin + size;
}

RestoreRequest request_of(const std::string& text, const fs::path& folder) {
  RestoreRequest request;
  request.directory = folder;
  const std::string mark = "--- ";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = std::min(end + 1, text.size());
    if (line.starts_with(mark)) {
      begin = write_file(request, line.substr(mark.size()), text, begin);
    } else {
      set_option(request, line);
    }
  }
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  static Registry registry(plugin_directory(), [](const std::string&) {});
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove_all(entry.path());
  try {
    const RestoreRequest request = request_of(fuzz::text_of(data, size), folder.path());
    std::ostringstream object;
    restore_object(request, registry, object, [](const std::string&) {});
    fuzz::require(object.str().size() == request.object_size_bytes.value_or(object.str().size()), "the object has its size");
  } catch (const Error& error) {
    fuzz::require_message(error);
  }
  return 0;
}
