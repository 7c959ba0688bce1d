// Products by the plugin's kernels with a given matrix, for codes of other plugins.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::simd {

/// Makes products that run the kernel of a dispatch level; it throws Error unless w is 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::simd
