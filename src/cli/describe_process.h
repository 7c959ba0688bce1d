// Another process that runs ecbench --describe. A process can load the libraries of only one --codec-lib. Lines that need other
// libraries are therefore given to other processes.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

class DescribeProcess {
 public:
  /// Starts this program again, under the name `program`, with the plugins of `plugin_directory`. Throws Error if that fails.
  DescribeProcess(const std::string& program, const std::filesystem::path& plugin_directory);
  /// Waits for the end of the process.
  ~DescribeProcess();
  DescribeProcess(const DescribeProcess&) = delete;
  DescribeProcess& operator=(const DescribeProcess&) = delete;

  /// Returns the answer to `line`. Neither `line` nor the answer ends with a newline. Throws Error if the process has ended; then
  /// no further call is allowed.
  std::string answer(const std::string& line);

 private:
  int socket_ = -1;
  int process_ = -1;
};

}  // namespace ecbench
