// Files and directories that are being written, under temporary names of the form .NAME.ecbench-0123456789abcdef.tmp. Their writer
// holds a lock on them (flock), so that leftovers of dead processes can be recognised, also those of other hosts.
//
// All functions here throw std::system_error unless stated otherwise.

#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "restore/descriptor.h"
#include "restore/held_signals.h"

namespace ecbench {

struct Unfinished {
  std::filesystem::path path;
  Descriptor descriptor{};  ///< holds the lock
};

/// Creates, in `folder`, a new file with permissions `mode` & ~umask or a new directory, which will replace `name`.
Unfinished create_unfinished_file(const std::filesystem::path& folder, const std::string& name, mode_t mode);
Unfinished create_unfinished_folder(const std::filesystem::path& folder, const std::string& name);

/// Removes files and directories with chunk sets that dead processes of this user left in `folder` while they wrote `name`. Ignores
/// errors. A directory with other content stays.
void remove_abandoned(const std::filesystem::path& folder, const std::string& name);

/// Writes all pieces. Stops with EINTR if a signal arrived.
void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals);

/// Gives the file or directory `to` the owner, group, permissions and access list of `from`. Returns false if something could not
/// be copied; then the permissions are such that only the owner has access. Does nothing if `from` does not exist.
bool copy_access(const std::filesystem::path& from, int to);

/// The target of `path` after all symbolic links, even if the last one leads to a file that does not exist. Never throws; a path
/// that leads nowhere is returned unchanged.
std::filesystem::path link_target(const std::filesystem::path& path);

/// Opens `path` with `flags`.
Descriptor opened(const std::filesystem::path& path, int flags);

/// Waits until the file or directory is on the disk.
void sync(const Descriptor& descriptor);

/// Waits until the entries of a directory are on the disk, if its file system supports this.
void sync_folder(const std::filesystem::path& folder);

/// Whether `path` is the open file.
bool is_same_file(const Descriptor& descriptor, const std::filesystem::path& path);

/// Throws std::system_error with errno.
[[noreturn]] void fail();

}  // namespace ecbench
