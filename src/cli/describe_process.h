// Another process that runs ecbench --describe, because a process can load the libraries of only one --codec-lib.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

class DescribeProcess {
 public:
  /// `program` is its argv[0]. Throws Error if it cannot be started.
  DescribeProcess(const std::string& program, const std::filesystem::path& plugin_directory);
  /// Closes its input and waits for its end.
  ~DescribeProcess();
  DescribeProcess(const DescribeProcess&) = delete;
  DescribeProcess& operator=(const DescribeProcess&) = delete;

  /// Without newlines. Throws Error, once, if the process has ended.
  std::string answer(const std::string& line);

 private:
  int socket_ = -1;
  int process_ = -1;
};

}  // namespace ecbench
