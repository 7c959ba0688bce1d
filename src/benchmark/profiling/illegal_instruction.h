// Reports an instruction that the CPU does not have, or that valgrind does not support, in one line.

#pragma once

namespace ecbench {

/// After this call, such an instruction ends the process with exit code 1. A line on stderr names the instruction and its address.
void explain_illegal_instructions();

}  // namespace ecbench
