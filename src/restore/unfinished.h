// While a file is being written, it has a temporary name of the form .NAME.ecbench-0123456789abcdef.tmp. The process that writes
// this file locks it with flock(). If a temporary file has no lock, the process that wrote it is dead. The lock shows this even if
// that process ran on another host.
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

/// A locked file whose temporary name contains `name`, with the permissions `mode` & ~umask.
Unfinished create_unfinished_file(const std::filesystem::path& folder, const std::string& name, mode_t mode);

/// Removes this user's temporary files for `name` without a lock. Ignores errors.
void remove_abandoned(const std::filesystem::path& folder, const std::string& name);

/// Throws std::system_error with EINTR if one of `signals` arrives.
void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals);

/// Owner, group, permissions and access list of `from` (if it exists). False if one could not be copied; without group or access
/// list, the group gets no access.
bool copy_access(const std::filesystem::path& from, int to);

/// The target, which need not exist, of a symbolic link or of a chain; `path` itself if it is none, or cannot be followed. Never
/// throws.
std::filesystem::path link_target(const std::filesystem::path& path);

Descriptor opened(const std::filesystem::path& path, int flags);

/// Until the file or directory is on the disk.
void sync(const Descriptor& descriptor);

/// If the file system supports it. Ignores errors.
void sync_folder(const std::filesystem::path& folder);

/// False on errors.
bool is_same_file(const Descriptor& descriptor, const std::filesystem::path& path);

/// Throws std::system_error with the error number in errno.
[[noreturn]] void fail();

}  // namespace ecbench
