#pragma once

#include <memory>
#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "restore/manifest.h"

namespace ecbench {

/// Throws Error if `directory` exists and is not an empty directory.
void check_new_or_empty(const std::string& directory);

/// A complete chunk set. The destructor removes its files, unless keep() was called.
class ChunkSetFiles {
 public:
  /// Writes chunk i to `directory`/i, which is made if missing, and then the manifest. After an error or a signal, the files are
  /// removed. Throws Error, also if a file of the set exists.
  ChunkSetFiles(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);
  ~ChunkSetFiles();

  void keep();

 private:
  class NewSet;
  std::unique_ptr<NewSet> set_;
};

}  // namespace ecbench
