// The modes are Python programs that run ecbench. `ecbench tune k=6 m=2` starts the mode tune.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Replaces this process by the mode that the first argument names. If no such mode exists, mode.py prints the error. Returns if
/// the first argument is missing, empty, an option or KEY=VALUE, if the program has the name of Ceph's tool, or if mode.py does not
/// exist. Throws Error if Python cannot be run.
void start_mode(const std::vector<std::string>& arguments);

}  // namespace ecbench
