// Products computed by ISA-L's kernels with a given matrix. Codes of other plugins use these products.

#pragma once

#include <string>

#include "erasure_code/plugin.h"

namespace ecbench::isa {

/// Makes products that use the ec_encode_data and xor_gen of a dispatch level. The returned function throws Error unless w is 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
