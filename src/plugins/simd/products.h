// Products computed by the kernels of plugin simd with a given matrix. Codes of other plugins use them.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::simd {

/// Makes products that use the kernel of a dispatch level. The returned function throws Error unless w is 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::simd
