// Prints one line if the program uses an instruction that the CPU or valgrind does not support.

#pragma once

namespace ecbench {

/// Such an instruction then ends the process with exit code 1; a line on stderr shows its bytes and address.
void explain_illegal_instructions();

}  // namespace ecbench
