// Runs a part of Ceph in a child process first, since a failed assertion of Ceph, or a division by zero, ends the process.

#pragma once

#include <functional>
#include <string>

namespace ecbench::ceph_plugins {

/// Runs `work` in a copy of this process, which prints nothing, and returns the text that `work` returns there. Throws Error with
/// the message of the Error that `work` throws. Throws Error with `what`, the signal and `advice` if the process ended
/// otherwise: "<what> ended by signal 6 (Aborted); <advice>".
std::string in_child(const std::string& what, const std::string& advice, const std::function<std::string()>& work);

}  // namespace ecbench::ceph_plugins
