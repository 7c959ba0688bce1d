// The modes: programs in Python that run this one. `ecbench tune k=6 m=2` starts the mode tune.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Replaces this process by the mode that the first argument names, also if there is no such mode, which the program of the modes
/// refuses. Returns if the first argument is an option or KEY=VALUE, if the program has Ceph's name, or if this ecbench has no
/// modes. Throws Error if there is no Python.
void start_mode(const std::vector<std::string>& arguments);

}  // namespace ecbench
