// While a file or directory is being written, it has a temporary name of the form .NAME.ecbench-0123456789abcdef.tmp. The process
// that writes this file or directory locks it with flock(). If a temporary file has no lock, the process that wrote it is dead. The
// lock shows this even if that process ran on another host.
//
// If a function in this file fails, it throws std::system_error, unless its comment says something else.

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

/// Each of these two functions creates a file or a directory in `folder`, and locks it. The temporary name contains `name`. The
/// permissions of the file are `mode` & ~umask.
Unfinished create_unfinished_file(const std::filesystem::path& folder, const std::string& name, mode_t mode);
Unfinished create_unfinished_folder(const std::filesystem::path& folder, const std::string& name);

/// Removes temporary files and directories from `folder` if their NAME is `name`, if they belong to this user, and if no process
/// holds their lock. In a temporary directory, removes only the files of a chunk set. Then removes the directory if it is empty.
/// Ignores errors.
void remove_abandoned(const std::filesystem::path& folder, const std::string& name);

/// Writes all pieces to `descriptor`. If one of `signals` arrives, stops and throws std::system_error with EINTR.
void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals);

/// Copies the owner, group, permissions and access list of the path `from` to the open file or directory `to`. Returns false if one
/// of these could not be copied. If the group or the access list could not be copied, the group gets no access. Does nothing if
/// `from` does not exist.
bool copy_access(const std::filesystem::path& from, int to);

/// If `path` is a symbolic link, follows it and all further links, and returns the path of the target. The target does not have to
/// exist. Returns `path` unchanged if it is not a link, or if the links cannot be followed. Never throws.
std::filesystem::path link_target(const std::filesystem::path& path);

/// Opens `path` with `flags`.
Descriptor opened(const std::filesystem::path& path, int flags);

/// Waits until the file or directory is on the disk.
void sync(const Descriptor& descriptor);

/// Waits until the entries of a directory are on the disk, if the file system supports this. Ignores errors.
void sync_folder(const std::filesystem::path& folder);

/// True if `path` is the file to which `descriptor` refers. False on errors.
bool is_same_file(const Descriptor& descriptor, const std::filesystem::path& path);

/// Throws std::system_error with the error number in errno.
[[noreturn]] void fail();

}  // namespace ecbench
