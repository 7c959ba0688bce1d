#include "restore/chunk_set.h"

#include <fcntl.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "erasure_code/error.h"
#include "restore/chunk_folder.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

}  // namespace

class ChunkSetFiles::NewSet {
 public:
  explicit NewSet(const fs::path& folder) : signals_(std::in_place), folder_(folder), is_created_(fs::create_directories(folder)) {}
  ~NewSet() {
    if (is_kept_) return;
    if (!signals_) signals_.emplace();
    for (const fs::path& file : files_) unlink(file.c_str());
    if (is_created_) rmdir(folder_.c_str());
  }
  NewSet(const NewSet&) = delete;
  NewSet& operator=(const NewSet&) = delete;

  void write(const std::string& name, std::span<const std::uint8_t> bytes) {
    const fs::path path = folder_ / name;
    constexpr mode_t mode = 0666;
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file.is_open()) fail();
    files_.push_back(path);
    write_pieces(file.number(), {bytes}, *signals_);
    sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);  // starts the write to the disk; fsync() then takes less time
  }

  void complete() {
    for (const fs::path& file : files_) sync(opened(file, O_RDONLY));
    sync_folder(folder_);
    signals_.reset();
  }

  void keep() { is_kept_ = true; }

 private:
  std::optional<HeldSignals> signals_;  // until the set is complete
  fs::path folder_;
  bool is_created_;
  std::vector<fs::path> files_;
  bool is_kept_ = false;
};

void check_new_or_empty(const std::string& directory) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(directory, error);  // `new/..` is valid even if `new` does not exist
  if (!fs::exists(fs::symlink_status(folder, error)) || (fs::is_directory(folder, error) && fs::is_empty(folder, error))) return;
  throw Error("--chunks-out " + directory +
              " is not allowed: it exists and is not an empty directory; give a new or empty directory");
}

ChunkSetFiles::ChunkSetFiles(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest) {
  try {
    set_ = std::make_unique<NewSet>(fs::weakly_canonical(directory));
    for (int position = 0; position < chunks.count(); position++) set_->write(std::to_string(position), chunks.bytes(position));
    const std::string text = manifest_text(manifest);
    set_->write(manifest_name, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    set_->complete();
  } catch (const std::system_error& error) {
    throw Error("cannot write --chunks-out " + directory + ": " + error.code().message());
  }
}

ChunkSetFiles::~ChunkSetFiles() = default;

void ChunkSetFiles::keep() {
  set_->keep();
}

}  // namespace ecbench
