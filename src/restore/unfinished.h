// Files and directories that are being written, under temporary names of the form .NAME.ecbench-0123456789abcdef.tmp. The process
// that writes such a file holds a lock on it (flock). If a temporary file has no lock, the process that wrote it is dead. This also
// works if that process ran on another host.
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

/// Creates a new file with permissions `mode` & ~umask, or a new directory, in `folder`, and locks it. Its temporary name contains
/// `name`.
Unfinished create_unfinished_file(const std::filesystem::path& folder, const std::string& name, mode_t mode);
Unfinished create_unfinished_folder(const std::filesystem::path& folder, const std::string& name);

/// Removes temporary files and directories that dead processes of this user left in `folder`, if their names contain `name`. In
/// such a directory, removes only the files of a chunk set, and then the directory if it is empty. Ignores errors.
void remove_abandoned(const std::filesystem::path& folder, const std::string& name);

/// Writes all pieces. If a signal arrives, stops and throws the error EINTR.
void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals);

/// Gives the file or directory `to` the owner, group, permissions and access list of `from`. Returns false if something could not
/// be copied. If the group or the access list could not be copied, the group gets no access. Does nothing if `from` does not exist.
bool copy_access(const std::filesystem::path& from, int to);

/// The target of `path` after all symbolic links, even if the last one leads to a file that does not exist. Never throws. If the
/// links cannot be followed, `path` is returned unchanged.
std::filesystem::path link_target(const std::filesystem::path& path);

/// Opens `path` with `flags`.
Descriptor opened(const std::filesystem::path& path, int flags);

/// Waits until the file or directory is on the disk.
void sync(const Descriptor& descriptor);

/// Waits until the entries of a directory are on the disk, if its file system supports this. Ignores errors.
void sync_folder(const std::filesystem::path& folder);

/// True if `path` is the file to which `descriptor` refers. False on errors.
bool is_same_file(const Descriptor& descriptor, const std::filesystem::path& path);

/// Throws std::system_error with errno.
[[noreturn]] void fail();

}  // namespace ecbench
