// Makes products (erasure_code/products.h) that ISA-L's kernels compute. Codes of other plugins use these products.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::isa {

/// With the kernels of `dispatch`. Throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
