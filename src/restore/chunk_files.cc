#include "restore/chunk_files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "erasure_code/error.h"
#include "restore/whole_file.h"

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

/// The names of all files that look like chunks, or like copies of them.
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
  if (!fs::is_regular_file(status)) refuse(path.string(), "a chunk is a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse_unreadable(path.string(), error.message());
  if (size == 0) refuse(path.string(), "it is empty, and a chunk has at least one byte");
  return size;
}

}  // namespace

void write_chunk_files(const std::string& directory, const ChunkBuffers& chunks) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error("cannot write --chunks-out " + directory + ": " + error.message());
  for (int position = 0; position < chunks.count(); position++) {
    write_whole_file("--chunks-out", fs::path(directory) / std::to_string(position), {chunks.bytes(position)});
  }
}

ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out) {
  ChunkFiles files{.directory = directory};
  std::vector<std::string> names = numbered_names(directory);
  for (int position = 0; position < chunk_count; position++) {
    const bool is_there = std::erase(names, std::to_string(position)) > 0;
    if (!is_there || std::ranges::find(left_out, position) != left_out.end()) continue;
    const std::size_t size = size_of(path_of(files, position));
    if (files.present.empty()) files.chunk_size_bytes = size;
    if (size != files.chunk_size_bytes) {
      refuse(directory, "all chunks of an object have the same size, but file " + std::to_string(files.present.front()) + " has " +
                            std::to_string(files.chunk_size_bytes) + " bytes and file " + std::to_string(position) + " has " +
                            std::to_string(size));
    }
    files.present.push_back(position);
  }
  const std::string allowed = "0 to " + std::to_string(chunk_count - 1);
  if (!names.empty()) {
    refuse(directory, "it holds a file " + names.front() + ", and the chunks of this code are named " + allowed);
  }
  if (files.present.empty()) refuse(directory, "it holds none of this code's chunks, which are files named " + allowed);
  return files;
}

void read_chunk_files(const ChunkFiles& files, const ChunkBuffers& chunks) {
  for (const int position : files.present) {
    const std::string path = path_of(files, position).string();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!stream) refuse_unreadable(path, std::strerror(errno));
    errno = 0;
    const std::size_t size = std::fread(chunks[position], 1, files.chunk_size_bytes, stream.get());
    if (std::ferror(stream.get()) != 0) refuse_unreadable(path, std::strerror(errno));
    if (size != files.chunk_size_bytes || std::fgetc(stream.get()) != EOF) {
      refuse_unreadable(path, "its size changed while it was read");
    }
  }
}

bool is_chunk_file(const std::string& path, const std::string& directory) {
  std::error_code error;
  const auto is_one = [&](const fs::path& file) {
    const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
    return begins_with_a_digit(file.filename().string()) && fs::equivalent(folder, directory, error);
  };
  return is_one(path) || is_one(fs::weakly_canonical(path, error));  // what it links to
}

}  // namespace ecbench
