// The output of --instructions-out, a JSON object: how often each instruction of each file was executed.

#pragma once

#include <string>

#include "benchmark/instructions/instructions.h"

namespace ecbench {

/// One line: {"format": "ecbench instructions 1", "iterations", "instructions", "repetitions", "objects": [{"path", "at":
/// [["0x1bf80", 4096], ...]}]}. A pair in "at" contains the address of an instruction and how often it was executed. The address is
/// the one in the file's symbol table.
std::string instructions_text(const InstructionCount& count);

}  // namespace ecbench
