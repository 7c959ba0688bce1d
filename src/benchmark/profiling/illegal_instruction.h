// Reports an instruction that the CPU does not have, or valgrind does not know, in one line.

#pragma once

namespace ecbench {

/// From now on it ends the process with exit code 1 and a line that names the instruction and where it stands.
void explain_illegal_instructions();

}  // namespace ecbench
