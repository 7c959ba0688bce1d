// The JSON output of --instructions-out: how often the instruction at each address was executed.

#pragma once

#include <string>

#include "benchmark/instructions/instructions.h"

namespace ecbench {

/// Returns one line: {"format": "ecbench instructions 1", "iterations", "instructions", "repetitions", "objects": [{"path", "at":
/// [["0x1bf80", 4096], ...]}]}. Each element of "objects" is for the program or a shared library; "path" is "" if the code is not
/// in a file. Each pair in "at" contains the address of an instruction, and how often this instruction was executed. The addresses
/// are as in the symbol table of the file, not as in memory.
std::string instructions_text(const InstructionCount& count);

}  // namespace ecbench
