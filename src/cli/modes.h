// The modes are Python programs that run ecbench. `ecbench tune k=6 m=2` starts the mode tune.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Replaces this process by mode.py, which starts the mode with the name in arguments[1]. If no mode has this name, mode.py prints
/// an error. Does nothing if arguments[1] is missing, is empty, is an option, or has the form KEY=VALUE. Also does nothing if the
/// program has the name of Ceph's tool, or if mode.py does not exist. Throws Error if Python cannot be run.
void start_mode(const std::vector<std::string>& arguments);

}  // namespace ecbench
