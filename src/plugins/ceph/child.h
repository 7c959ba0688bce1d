// Runs a part of Ceph in a child process before ecbench's process runs it, because failed assertions and divisions by zero in Ceph
// end the process.

#pragma once

#include <functional>
#include <string>

namespace ecbench::ceph_plugins {

/// Runs `work` in a copy of this process, and returns the text that `work` returns. The copy prints nothing. If `work` throws a
/// std::exception, throws an Error with the same message. If a signal ends the copy, throws Error with this message: "<name>
/// <problem>: a test process ended by signal 6 (Aborted); <advice>". SIGALRM ends a copy that runs for 60 s. If the copy cannot be
/// made, the message is: "<name> could not be tested: ...".
std::string in_child(const std::string& name, const std::string& problem, const std::string& advice,
                     const std::function<std::string()>& work);

}  // namespace ecbench::ceph_plugins
