#include "restore/chunk_files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "restore/chunk_folder.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

bool begins_with_a_digit(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
}

fs::path path_of(const ChunkFiles& files, int position) {
  return fs::path(files.directory) / std::to_string(position);
}

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error("--chunks-in " + what + " is not allowed: " + why);
}

[[noreturn]] void refuse_unreadable(const std::string& what, const std::string& why) {
  throw Error("cannot read --chunks-in " + what + ": " + why);
}

/// Chunks, or copies of chunks.
std::vector<std::string> numbered_names(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (begins_with_a_digit(name)) names.push_back(name);
  }
  if (error) refuse_unreadable(directory, error.message());
  std::ranges::sort(names);
  return names;
}

std::size_t size_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse_unreadable(path.string(), error.message());
  if (!fs::is_regular_file(status)) refuse(path.string(), "it is not a regular file; each chunk must be a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse_unreadable(path.string(), error.message());
  return size;
}

/// Only if the size of the chunks is not known.
void add_chunk(ChunkFiles& files, int position, std::size_t size) {
  if (size > files.chunk_size_bytes) {
    files.shorter = files.present;
    files.chunk_size_bytes = size;
  } else if (size < files.chunk_size_bytes) {
    files.shorter.push_back(position);
  }
  files.present.push_back(position);
}

bool is_in_folder(const ChunkFiles& files, int position) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path_of(files, position), ignored));
}

}  // namespace

ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out,
                            const ExpectedChunks& expected) {
  ChunkFiles files{.directory = directory, .chunk_size_bytes = expected.size_bytes.value_or(0)};
  std::vector<std::string> names = numbered_names(directory);
  for (int position = 0; position < chunk_count; position++) {
    std::erase(names, std::to_string(position));
    if (!is_in_folder(files, position) || std::ranges::find(left_out, position) != left_out.end()) continue;
    const std::size_t size = size_of(path_of(files, position));
    if (!expected.size_bytes) {
      add_chunk(files, position, size);
    } else {
      (size == *expected.size_bytes ? files.present : files.damaged).push_back(position);
    }
  }
  if (!expected.size_bytes && !files.present.empty() && files.chunk_size_bytes == 0) {
    refuse(directory, "all its chunks are empty, but a chunk has at least one byte; copy the chunks again");
  }
  const std::string allowed = "0 to " + std::to_string(chunk_count - 1);
  if (!expected.allows_other_names && !names.empty()) {
    refuse(directory, "the directory has a file " + names.front() + ", but the chunks of this code are named " + allowed +
                          "; remove the file, or give the right profile");
  }
  if (files.present.empty() && files.damaged.empty()) {
    refuse(directory, "the directory has no chunk of this code; chunks are files named " + allowed);
  }
  return files;
}

void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const ExpectedChunks& expected) {
  for (const int position : files.present) {
    const std::string path = path_of(files, position).string();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!stream) refuse_unreadable(path, std::strerror(errno));
    errno = 0;
    const std::size_t size = std::fread(chunks[position], 1, files.chunk_size_bytes, stream.get());
    if (std::ferror(stream.get()) != 0) refuse_unreadable(path, std::strerror(errno));
    const bool is_shorter = std::ranges::binary_search(files.shorter, position);
    if ((size != files.chunk_size_bytes && !is_shorter) || std::fgetc(stream.get()) != EOF) {
      refuse_unreadable(path, "the size of the file changed while ecbench read it");
    }
    std::fill_n(chunks[position] + size, files.chunk_size_bytes - size, std::uint8_t{0});
    if (expected.digests.empty()) continue;
    const std::string digest = expected.digest_of({chunks.bytes(position)});
    if (digest == expected.digests[index(position)]) continue;
    files.damaged.push_back(position);
    const auto other = std::ranges::find(expected.digests, digest);
    if (other != expected.digests.end()) files.other_chunk[position] = static_cast<int>(other - expected.digests.begin());
  }
  std::ranges::sort(files.damaged);
  std::erase_if(files.present, [&](int position) { return std::ranges::binary_search(files.damaged, position); });
}

bool is_chunk_file(const std::string& path, const std::string& directory) {
  std::error_code error;
  const auto is_one = [&](const fs::path& file) {
    const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
    const std::string name = file.filename().string();
    return (begins_with_a_digit(name) || name == manifest_name) && fs::equivalent(folder, directory, error);
  };
  return is_one(path) || is_one(fs::weakly_canonical(path, error));  // if `path` is a symbolic link: the file to which it refers
}

}  // namespace ecbench
