// What --instructions-out writes, as one JSON object: how often each instruction of each file was executed.

#pragma once

#include <string>

#include "benchmark/instructions/instructions.h"

namespace ecbench {

/// On one line: {"format": "ecbench instructions 1", "iterations", "instructions", "repetitions", "objects": [{"path", "at":
/// [["0x1bf80", 4096], ...]}]}. Addresses are the file's own, as its symbol table has them.
std::string instructions_text(const InstructionCount& count);

}  // namespace ecbench
