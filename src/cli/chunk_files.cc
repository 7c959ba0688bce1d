#include "cli/chunk_files.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// Keeps the signals that end a program waiting, so that none leaves half a file behind.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

void write_file(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const SignalsHeld held;
  const fs::path unfinished = path.string() + ".tmp" + std::to_string(getpid());
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error(errno, std::generic_category());
  if (file) fs::rename(unfinished, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw Error("cannot write --chunks-out " + path.string() + ": " + error.message());
  }
}

}  // namespace

void write_chunk_files(const std::string& directory, const ChunkBuffers& chunks) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error("cannot write --chunks-out " + directory + ": " + error.message());
  for (int position = 0; position < chunks.count(); position++) {
    write_file(fs::path(directory) / std::to_string(position), chunks.bytes(position));
  }
}

}  // namespace ecbench
