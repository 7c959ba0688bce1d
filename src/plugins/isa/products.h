// Makes products (erasure_code/products.h) that ISA-L's kernels compute. Codes of other plugins use these products.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::isa {

/// Returns a function that makes products. The products use the kernels of ec_encode_data and xor_gen for the level `dispatch`. The
/// function throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
