#include "cli/describe_process.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "erasure_code/error.h"
#include "erasure_code/own_program.h"

namespace ecbench {

DescribeProcess::DescribeProcess(const std::string& program, const std::filesystem::path& plugin_directory) {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw Error(std::string("the process that answers lines with this --codec-lib cannot be started: ") + std::strerror(errno));
  }
  std::vector<std::string> words{program, "--describe", "-", "--erasure-code-dir", plugin_directory};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO}) posix_spawn_file_actions_adddup2(&actions, sockets[1], descriptor);
  const int error = posix_spawn(&process_, own_program().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(sockets[1]);
  socket_ = sockets[0];
  if (error == 0) return;
  close(socket_);
  throw Error(std::string("the process that answers lines with this --codec-lib cannot be started: ") + std::strerror(error));
}

DescribeProcess::~DescribeProcess() {
  close(socket_);  // for the other process, this is the end of its input
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::string DescribeProcess::answer(const std::string& line) {
  const std::string sent = line + '\n';
  for (std::size_t done = 0; done < sent.size();) {
    const ssize_t count = send(socket_, sent.data() + done, sent.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  std::string received;
  std::array<char, 4096> buffer{};
  while (received.empty() || received.back() != '\n') {
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw Error("no answer: the process that answers lines with this --codec-lib has ended; measure this point to see why");
    received.append(buffer.data(), static_cast<std::size_t>(count));
  }
  received.pop_back();
  return received;
}

}  // namespace ecbench
