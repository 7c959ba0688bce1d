#include "restore/whole_file.h"

#include <sys/stat.h>

#include "erasure_code/error.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

void write_and_rename(const fs::path& target, const std::vector<std::span<const std::uint8_t>>& pieces) {
  const HeldSignals signals;
  const fs::path folder = target.parent_path().empty() ? "." : target.parent_path();
  remove_abandoned(folder, target.filename().string());
  std::error_code ignored;
  const mode_t mode = fs::exists(target, ignored) ? 0600 : 0666;
  const Unfinished file = create_unfinished_file(folder, target.filename().string(), mode);
  try {
    copy_access(target, file.descriptor.number());
    write_pieces(file.descriptor.number(), pieces, signals);
    sync(file.descriptor);
    fs::rename(file.path, target);
  } catch (...) {
    unlink(file.path.c_str());
    throw;
  }
  sync_folder(folder);
}

}  // namespace

void write_whole_file(const std::string& option, const fs::path& path, const std::vector<std::span<const std::uint8_t>>& pieces) {
  try {
    write_and_rename(link_target(path), pieces);
  } catch (const std::system_error& error) {
    throw Error("cannot write " + option + " " + path.string() + ": " + error.code().message());
  }
}

}  // namespace ecbench
