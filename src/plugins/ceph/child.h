// Runs code of Ceph in a child process. In Ceph, a failed assertion or a division by zero ends the process. If only the child
// process ends, ecbench can report an error.

#pragma once

#include <functional>
#include <string>

namespace ecbench::ceph_plugins {

/// Runs `work` in a child process, and returns the text that `work` returns. The child process prints nothing. If `work` throws a
/// std::exception, this function throws an Error with the same message. If a signal ends the child process, the function throws an
/// Error with this message: "<name> <problem>: a test process was ended by signal 6 (Aborted); <advice>". If the child process runs
/// for 60 s, SIGALRM ends it. If the child process cannot be started, the message is: "<name> could not be tested: ...".
std::string in_child(const std::string& name, const std::string& problem, const std::string& advice,
                     const std::function<std::string()>& work);

}  // namespace ecbench::ceph_plugins
