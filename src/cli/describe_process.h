// A DescribeProcess is another process that runs ecbench --describe. A process can load the libraries of only one --codec-lib.
// Therefore other processes answer the lines that have another --codec-lib.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

class DescribeProcess {
 public:
  /// Starts another process of this program, with `program` as argv[0] and with the plugins in `plugin_directory`. Throws Error if
  /// the process cannot be started.
  DescribeProcess(const std::string& program, const std::filesystem::path& plugin_directory);
  /// Closes the input of the process, and waits until the process has ended.
  ~DescribeProcess();
  DescribeProcess(const DescribeProcess&) = delete;
  DescribeProcess& operator=(const DescribeProcess&) = delete;

  /// Returns the answer to `line`. Neither `line` nor the answer ends with a newline. Throws Error if the process has ended.
  /// After this error, answer() must not be called again.
  std::string answer(const std::string& line);

 private:
  int socket_ = -1;
  int process_ = -1;
};

}  // namespace ecbench
