// Products (erasure_code/products.h) for codes of other plugins, computed by the kernels of plugin simd.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::simd {

/// Makes products that use the kernel of a dispatch level. The returned function throws Error unless w is 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::simd
