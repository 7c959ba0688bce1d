#include "restore/chunk_set.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "erasure_code/error.h"
#include "restore/chunk_folder.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// A part of the names of temporary directories inside a chunk directory: see NAME in unfinished.h.
constexpr const char* name_within = "chunks";

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

/// The number of chunks that the manifest of a directory describes; 0 if the directory has no manifest.
int chunks_described(const fs::path& folder) {
  const std::optional<Manifest> manifest = read_manifest(folder / manifest_name);
  return manifest ? static_cast<int>(manifest->chunk_sha256.size()) : 0;
}

/// A set of chunk files in a temporary directory. The destructor removes the directory unless the set was committed.
class StagedSet {
 public:
  StagedSet(const fs::path& parent, const std::string& name) : folder_(create_unfinished_folder(parent, name)) {}
  ~StagedSet() {
    if (!committed_) remove_chunk_set(folder_.path);
  }
  StagedSet(const StagedSet&) = delete;
  StagedSet& operator=(const StagedSet&) = delete;

  const fs::path& path() const { return folder_.path; }
  int descriptor() const { return folder_.descriptor.number(); }
  void set_committed() { committed_ = true; }

  /// Writes all files. Each file gets the owner and permissions of the file in `target` that it will replace: see copy_access().
  void write(const ChunkBuffers& chunks, const std::string& manifest, const fs::path& target, const HeldSignals& signals) const {
    for (int position = 0; position < chunks.count(); position++) {
      write(std::to_string(position), chunks.bytes(position), target, signals);
    }
    write(manifest_name, {reinterpret_cast<const std::uint8_t*>(manifest.data()), manifest.size()}, target, signals);
    for (int position = 0; position < chunks.count(); position++) sync_file(std::to_string(position));
    sync_file(manifest_name);
    sync(folder_.descriptor);
  }

 private:
  void write(const std::string& name, std::span<const std::uint8_t> bytes, const fs::path& target,
             const HeldSignals& signals) const {
    constexpr mode_t mode = 0666;
    const Descriptor file(openat(descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file.is_open()) fail();
    copy_access(target / name, file.number());
    write_pieces(file.number(), {bytes}, signals);
    sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);  // starts the write to the disk; fsync() then takes less time
  }

  void sync_file(const std::string& name) const { sync(opened(path() / name, O_RDONLY)); }

  Unfinished folder_;
  bool committed_ = false;
};

/// Opens the directory and locks it. Waits while another process that writes to the directory holds the lock.
Descriptor locked_folder(const fs::path& folder) {
  for (;;) {
    Descriptor descriptor = opened(folder, O_RDONLY | O_DIRECTORY);
    while (flock(descriptor.number(), LOCK_EX) != 0 && errno == EINTR) continue;  // other errors: continue without a lock
    if (is_same_file(descriptor, folder)) return descriptor;
  }
}

/// Moves the remaining files of a committed set from .ecbench-commit to the chunk directory, and removes .ecbench-commit.
void finish_commit(const fs::path& folder) {
  const fs::path commit = folder / commit_name;
  if (!fs::exists(commit)) return;
  if (fs::exists(commit / manifest_name)) {
    const int described_before = chunks_described(folder);
    for (const std::string& name : names_in(commit)) {
      if (is_chunk_name(name)) fs::rename(commit / name, folder / name);
    }
    for (int position = chunks_described(commit); position < described_before; position++) {
      fs::remove(folder / std::to_string(position));
    }
    sync_folder(folder);
    fs::rename(commit / manifest_name, folder / manifest_name);
    sync_folder(folder);
  }
  remove_chunk_set(commit);
}

/// Returns true if all names in the directory are names of chunks of the old or the new set, or the name of the manifest. Throws
/// Error if a file with such a name is not a regular file.
bool holds_only_a_set(const fs::path& folder, int chunk_count) {
  const int described = chunks_described(folder);
  bool is_only_a_set = true;
  for (const std::string& name : names_in(folder)) {
    const bool is_chunk = is_chunk_name(name) && std::stoi(name) < std::max(chunk_count, described);
    if (!is_chunk && name != manifest_name) {
      is_only_a_set = false;
    } else if (!fs::is_regular_file(fs::symlink_status(folder / name))) {
      throw Error("cannot write --chunks-out " + (folder / name).string() + ": it exists and is not a regular file; remove it or " +
                  "choose another directory");
    }
  }
  return is_only_a_set;
}

/// True if the directory has extended attributes such as access lists. After an exchange, the old directory is removed, and these
/// attributes would be lost. Attributes of security modules (security.*) are ignored, because the system sets them automatically.
bool has_attributes(const Descriptor& folder) {
  std::string names(std::size_t{1} << 16, '\0');  // Linux limits this list to 64 KiB (XATTR_LIST_MAX)
  const ssize_t size = flistxattr(folder.number(), names.data(), names.size());
  if (size < 0) return errno != ENOTSUP;
  for (std::string_view rest(names.data(), static_cast<std::size_t>(size)); !rest.empty();
       rest.remove_prefix(rest.find('\0') + 1)) {
    if (!rest.starts_with("security.")) return true;
  }
  return false;
}

bool may_be_exchanged(const fs::path& target, const Descriptor& folder, bool holds_only_a_set) {
  struct stat of_folder {};
  struct stat of_parent {};
  if (fstat(folder.number(), &of_folder) != 0 || stat(target.parent_path().c_str(), &of_parent) != 0) return false;
  const bool is_current_directory = is_same_file(folder, ".");  // after an exchange, the user's shell would be in the old directory
  return holds_only_a_set && of_folder.st_dev == of_parent.st_dev && !is_current_directory && !has_attributes(folder);
}

/// Removes the old set, which is in the directory `old` after the exchange. If another process has added files to this directory
/// while the new set was written, moves these files to `target`. Then removes the directory `old` if it is empty.
void remove_exchanged(const fs::path& old, const fs::path& target) {
  remove_chunk_set(old);
  std::error_code gone;
  if (!fs::exists(old, gone)) return;
  for (const std::string& name : names_in(old)) {
    renameat2(AT_FDCWD, (old / name).c_str(), AT_FDCWD, (target / name).c_str(), RENAME_NOREPLACE);
  }
  remove_chunk_set(old);
}

/// Writes the new set to a temporary directory, and exchanges this directory with `target`. Returns false if the parent directory
/// is not writable, if the owner or permissions of `target` cannot be copied, or if the exchange fails.
bool replace_by_exchange(const fs::path& target, const ChunkBuffers& chunks, const std::string& manifest,
                         const HeldSignals& signals) {
  if (access(target.parent_path().c_str(), W_OK | X_OK) != 0) return false;
  StagedSet staged(target.parent_path(), target.filename().string());
  if (!copy_access(target, staged.descriptor())) return false;
  staged.write(chunks, manifest, target, signals);
  if (renameat2(AT_FDCWD, staged.path().c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return false;
  staged.set_committed();
  sync_folder(target.parent_path());
  remove_exchanged(staged.path(), target);
  return true;
}

void replace_in_place(const fs::path& target, const ChunkBuffers& chunks, const std::string& manifest, const HeldSignals& signals) {
  StagedSet staged(target, name_within);
  staged.write(chunks, manifest, target, signals);
  fs::rename(staged.path(), target / commit_name);
  staged.set_committed();
  sync_folder(target);
  finish_commit(target);
  sync_folder(target.parent_path());
}

void replace(const fs::path& target, const ChunkBuffers& chunks, const std::string& manifest) {
  const Descriptor folder = locked_folder(target);
  const HeldSignals signals;
  remove_abandoned(target.parent_path(), target.filename().string());
  remove_abandoned(target, name_within);
  finish_commit(target);
  const bool may_exchange = may_be_exchanged(target, folder, holds_only_a_set(target, chunks.count()));
  if (may_exchange && replace_by_exchange(target, chunks, manifest, signals)) return;
  replace_in_place(target, chunks, manifest, signals);
}

}  // namespace

void write_chunk_set(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest) {
  fs::path created;
  try {
    if (fs::create_directories(directory)) created = directory;
    replace(fs::canonical(directory), chunks, manifest_text(manifest));
  } catch (const std::exception& error) {
    if (!created.empty()) rmdir(created.c_str());
    const auto* system_error = dynamic_cast<const std::system_error*>(&error);
    if (system_error == nullptr) throw;
    throw Error("cannot write --chunks-out " + directory + ": " + system_error->code().message());
  }
}

}  // namespace ecbench
