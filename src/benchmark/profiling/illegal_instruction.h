// Prints one line if the program uses an instruction that the CPU or valgrind does not support.

#pragma once

namespace ecbench {

/// After this call, an unsupported instruction ends the process with exit code 1. A line on stderr shows the bytes and the address
/// of the instruction.
void explain_illegal_instructions();

}  // namespace ecbench
