// Implements the interface of erasure_code/products.h, so that the codes of other plugins can use the kernels of plugin simd.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::simd {

/// Returns a function that makes ChunkProducts objects. These objects multiply with the kernel of the dispatch level `dispatch`. If
/// the argument w of the returned function is not 8, the returned function throws Error.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::simd
