#include "report/append.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error("cannot append to " + path + ": " + why);
}

class File {
 public:
  File(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Beyond RLIMIT_FSIZE, SIGXFSZ ends the process, unless it is ignored: write() then fails.
class IgnoreFileSizeSignal {
 public:
  IgnoreFileSizeSignal() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &before_);
  }
  ~IgnoreFileSizeSignal() { sigaction(SIGXFSZ, &before_, nullptr); }
  IgnoreFileSizeSignal(const IgnoreFileSizeSignal&) = delete;
  IgnoreFileSizeSignal& operator=(const IgnoreFileSizeSignal&) = delete;

 private:
  struct sigaction before_ {};
};

void lock(const File& file, const std::string& path) {
  while (flock(file.descriptor(), LOCK_EX) != 0) {
    if (errno != EINTR) refuse(path, std::string("it cannot be locked: ") + std::strerror(errno));
  }
}

/// Throws Error if the file is not a regular file, or its last line has no newline.
off_t size_of_whole_lines(const File& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(path, "it is not a regular file");
  if (status.st_size == 0) return 0;
  char last = 0;
  if (pread(file.descriptor(), &last, 1, status.st_size - 1) != 1) refuse(path, "its last byte cannot be read");
  if (last != '\n')
    refuse(path,
           "its last line has no newline, perhaps because the process that wrote it was killed; complete or delete this line");
  return status.st_size;
}

/// With one write(), so that a killed process rarely leaves a part of the line. Returns the error as text, or "".
std::string write_and_sync(const File& file, const std::string& line) {
  const IgnoreFileSizeSignal ignored;
  ssize_t written = -1;
  do {
    written = write(file.descriptor(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return std::strerror(errno);
  // Only the next write() would report why, usually a full disk.
  if (static_cast<std::size_t>(written) != line.size()) {
    return "only " + std::to_string(written) + " of " + std::to_string(line.size()) +
           " bytes could be written; the disk may be full";
  }
  return fsync(file.descriptor()) == 0 ? "" : std::strerror(errno);
}

std::filesystem::path directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

/// Without this, a power failure can remove a new file. Errors are ignored: not all file systems support fsync() on a directory.
void sync_directory_of(const std::string& path) {
  const File directory(directory_of(path), O_RDONLY | O_DIRECTORY);
  if (directory.descriptor() >= 0) fsync(directory.descriptor());
}

}  // namespace

void require_appendable(const std::string& path) {
  const File file(path, O_RDWR | O_APPEND);
  if (file.descriptor() >= 0) {
    lock(file, path);  // waits while another process writes a line
    size_of_whole_lines(file, path);
  } else if (errno != ENOENT || access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
    refuse(path, std::strerror(errno));
  }
}

void append_line(const std::string& path, const std::string& line) {
  const File file(path, O_RDWR | O_APPEND | O_CREAT);
  if (file.descriptor() < 0) refuse(path, std::strerror(errno));
  lock(file, path);
  const off_t size = size_of_whole_lines(file, path);
  std::string trouble = write_and_sync(file, line + "\n");
  if (!trouble.empty()) {
    if (ftruncate(file.descriptor(), size) != 0 || fsync(file.descriptor()) != 0) {
      trouble += std::string("; the incomplete last line cannot be removed: ") + std::strerror(errno);
    }
    refuse(path, trouble);
  }
  if (size == 0) sync_directory_of(path);
}

}  // namespace ecbench
