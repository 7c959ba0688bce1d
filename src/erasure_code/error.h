// The exception for errors that ecbench detects. The message is one line, and says what was given, what is allowed and why. main()
// catches the exception. Error::kind() defines the exit code.

#pragma once

#include <stdexcept>
#include <string>

namespace ecbench {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,      ///< an option, a profile, a file or a plugin that cannot be used: exit code 1
    unrecoverable,  ///< the code cannot rebuild the wanted chunks from the available chunks: exit code 1
    wrong_bytes,    ///< verification found wrong bytes: exit code 2, and no measured figure is printed
  };

  explicit Error(const std::string& message, Kind kind = Kind::bad_input) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// Calls `attempt`. False if it throws an Error of kind unrecoverable.
template <typename Attempt>
bool recovers(const Attempt& attempt) {
  try {
    attempt();
    return true;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return false;
  }
}

/// "1, 2, 3". `words` has strings, or numbers that std::to_string() takes.
template <typename Words>
std::string joined(const Words& words, const char* separator = ", ") {
  std::string text;
  for (const auto& word : words) {
    if (&word != &*words.begin()) text += separator;
    if constexpr (requires { std::to_string(word); }) {
      text += std::to_string(word);
    } else {
      text += word;
    }
  }
  return text;
}

}  // namespace ecbench
