// Checks of a decoded object, and the messages about what was verified and what was not.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "restore/chunk_files.h"
#include "restore/origin.h"
#include "restore/restored_object.h"

namespace ecbench {

using Say = std::function<void(const std::string&)>;

struct Cut {
  std::size_t object_size = 0;
  std::size_t stripe_chunk_size = 0;
  std::size_t stripe_count = 0;
};

/// As lost, with a message. Throws Error (wrong_bytes) if the others are too few.
void lose_damaged(RestoredObject& object, const ChunkFiles& files, const Origin& origin, const Say& say);

/// Without a digest, compares the chunks with each other and checks the padding. Throws Error, with the cause if known; may change
/// the object before.
void verify(RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say);

void report_verified(const RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say);

/// "chunk 3", or "chunks 0, 3".
std::string listed(const Positions& positions);

}  // namespace ecbench
