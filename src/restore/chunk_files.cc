#include "restore/chunk_files.h"

#include <fcntl.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/hex.hpp>
#include <boost/crc.hpp>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "erasure_code/error.h"

namespace ecbench {

std::string crc32c_text(std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08" PRIx32, value);
  return text.data();
}

// Not ISA-L's: --codec-lib could not replace a libisal that the program is linked with.
std::string crc32c(const std::vector<std::span<const std::uint8_t>>& pieces) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0, true, true> crc;
  for (const std::span<const std::uint8_t> piece : pieces) crc.process_bytes(piece.data(), piece.size());
  return crc32c_text(crc.checksum());
}

std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool works = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::span<const std::uint8_t> piece : pieces) {
    works = works && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  std::array<std::uint8_t, 32> digest{};
  if (!works || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) throw Error("OpenSSL cannot compute SHA-256");
  std::string text;
  boost::algorithm::hex_lower(digest, std::back_inserter(text));
  return text;
}

bool belongs_to_chunk_set(const std::string& name) {
  if (name == manifest_name) return true;
  constexpr std::size_t most_digits = 9;  // every number with 9 digits fits in an int
  if (name.empty() || name.size() > most_digits || (name.front() == '0' && name.size() > 1)) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

namespace {

namespace fs = std::filesystem;

bool begins_with_a_digit(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
}

fs::path path_of(const ChunkFiles& files, int position) { return fs::path(files.directory) / std::to_string(position); }

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error("DIR " + what + " is not allowed: " + why);
}

[[noreturn]] void refuse_unreadable(const std::string& what, const std::string& why) {
  throw Error("cannot read DIR " + what + ": " + why);
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

void check_new_or_empty(const std::string& directory) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(directory, error);  // `new/..` is valid even if `new` does not exist
  if (!fs::exists(fs::symlink_status(folder, error)) || (fs::is_directory(folder, error) && fs::is_empty(folder, error))) return;
  throw Error("--chunks-out " + directory +
              " is not allowed: it exists and is not an empty directory; give a new or empty directory");
}

ChunkSetFiles::ChunkSetFiles(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest)
    : ChunkSetFiles() {  // so that the destructor runs after an exception
  try {
    folder_ = fs::weakly_canonical(directory);
    is_created_ = fs::create_directories(folder_);
    for (int position = 0; position < chunks.count(); position++) write(std::to_string(position), chunks.bytes(position));
    const std::string text = manifest_text(manifest);
    write(manifest_name, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    for (const fs::path& file : files_) sync(opened(file, O_RDONLY));
    sync_folder(folder_);
    signals_.reset();
  } catch (const std::system_error& error) {
    throw Error("cannot write --chunks-out " + directory + ": " + error.code().message());
  }
}

ChunkSetFiles::~ChunkSetFiles() {
  if (is_kept_) return;
  if (!signals_) signals_.emplace();
  for (const fs::path& file : files_) unlink(file.c_str());
  if (is_created_) rmdir(folder_.c_str());
}

void ChunkSetFiles::write(const std::string& name, std::span<const std::uint8_t> bytes) {
  const fs::path path = folder_ / name;
  constexpr mode_t mode = 0666;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) fail();
  files_.push_back(path);
  write_pieces(file.number(), {bytes}, *signals_);
  sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);  // starts the write to the disk; fsync() then takes less time
}

}  // namespace ecbench
