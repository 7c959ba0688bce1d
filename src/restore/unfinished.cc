#include "restore/unfinished.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <system_error>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffix = ".tmp";
constexpr std::size_t random_digits = 16;

std::string prefix_of(const std::string& name) {
  constexpr std::size_t most = 200;  // file names have at most 255 bytes
  return "." + name.substr(0, most) + ".ecbench-";
}

std::string new_name(const std::string& name) {
  static std::random_device device;
  std::string digits;
  while (digits.size() < random_digits) digits += "0123456789abcdef"[device() % 16];
  return prefix_of(name) + digits + suffix;
}

bool is_unfinished(const std::string& file, const std::string& name) {
  const std::string prefix = prefix_of(name);
  if (file.size() != prefix.size() + random_digits + std::string(suffix).size()) return false;
  if (!file.starts_with(prefix) || !file.ends_with(suffix)) return false;
  return file.substr(prefix.size(), random_digits).find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct Unfinished {
  fs::path path;
  Descriptor descriptor{};  ///< holds the lock
};

/// False on errors.
bool is_same_file(const Descriptor& descriptor, const fs::path& path) {
  struct stat opened_one {};
  struct stat named_one {};
  return fstat(descriptor.number(), &opened_one) == 0 && stat(path.c_str(), &named_one) == 0 &&
         opened_one.st_dev == named_one.st_dev && opened_one.st_ino == named_one.st_ino;
}

/// False if another process locked it first; that one takes it for abandoned and removes it.
bool locked(const Unfinished& unfinished) {
  if (flock(unfinished.descriptor.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return is_same_file(unfinished.descriptor, unfinished.path);
}

void remove_if_abandoned(const fs::path& path) {
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0 || status.st_uid != geteuid()) return;
  if (flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0 || !is_same_file(descriptor, path)) return;
  if (S_ISREG(status.st_mode)) unlink(path.c_str());
}

bool copy_access_list(const fs::path& from, int to) {
  constexpr const char* attribute = "system.posix_acl_access";
  std::array<char, 4096> list{};
  const ssize_t size = getxattr(from.c_str(), attribute, list.data(), list.size());
  if (size < 0) return errno == ENODATA || errno == ENOTSUP;
  return fsetxattr(to, attribute, list.data(), static_cast<std::size_t>(size), 0) == 0;
}

/// A locked file whose temporary name contains `name`, with the permissions `mode` & ~umask.
Unfinished create_unfinished_file(const fs::path& folder, const std::string& name, mode_t mode) {
  for (int attempt = 0; attempt < 100; attempt++) {
    Unfinished unfinished{.path = folder / new_name(name)};
    unfinished.descriptor = Descriptor(open(unfinished.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!unfinished.descriptor.is_open()) fail();
    if (locked(unfinished)) return unfinished;
  }
  errno = EBUSY;
  fail();
}

/// Removes this user's temporary files for `name` without a lock. Ignores errors.
void remove_abandoned(const fs::path& folder, const std::string& name) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (is_unfinished(entry->path().filename().string(), name)) found.push_back(entry->path());
  }
  std::ranges::for_each(found, remove_if_abandoned);
}

/// Owner, group, permissions and access list of `from`, if allowed; without group or access list, the group gets no access.
void copy_access(const fs::path& from, int to) {
  struct stat old {};
  struct stat now {};
  if (stat(from.c_str(), &old) != 0) return;
  if (fstat(to, &now) != 0) fail();
  const bool is_other = old.st_uid != now.st_uid || old.st_gid != now.st_gid;
  if (is_other && fchown(to, old.st_uid, old.st_gid) != 0 && fchown(to, static_cast<uid_t>(-1), old.st_gid) != 0) {
    old.st_mode &= ~mode_t{S_IRWXG};
  }
  mode_t mode = old.st_mode & mode_t{07777};
  if (!S_ISDIR(old.st_mode)) mode &= mode_t{0777};
  if (fchmod(to, mode) != 0) fail();
  if (!copy_access_list(from, to) && fchmod(to, mode & ~mode_t{S_IRWXG}) != 0) fail();
}

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

void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals) {
  constexpr std::size_t block = std::size_t{4} << 20;
  for (std::span<const std::uint8_t> piece : pieces) {
    while (!piece.empty()) {
      if (signals.arrived()) {
        errno = EINTR;
        fail();
      }
      const ssize_t written = write(descriptor, piece.data(), std::min(piece.size(), block));
      if (written < 0 && errno != EINTR) fail();
      if (written > 0) piece = piece.subspan(static_cast<std::size_t>(written));
    }
  }
}

fs::path link_target(const fs::path& path) {
  fs::path target = path;
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(target, error); links++) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) return path;
    target = target.parent_path() / next;  // if `next` is absolute, the result is `next`
  }
  return fs::is_symlink(target, error) ? path : target;
}

Descriptor opened(const fs::path& path, int flags) {
  Descriptor descriptor(open(path.c_str(), flags | O_CLOEXEC));
  if (!descriptor.is_open()) fail();
  return descriptor;
}

void sync(const Descriptor& descriptor) {
  if (fsync(descriptor.number()) != 0) fail();
}

void fail() { throw std::system_error(errno, std::generic_category()); }

void write_whole_file(const std::string& option, const fs::path& path, const std::vector<std::span<const std::uint8_t>>& pieces) {
  try {
    write_and_rename(link_target(path), pieces);
  } catch (const std::system_error& error) {
    throw Error("cannot write " + option + " " + path.string() + ": " + error.code().message());
  }
}

}  // namespace ecbench
