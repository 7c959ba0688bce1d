// The only error type of the project. Every failure is thrown as an Error with a message of one line that says what was given, what
// is allowed and why. main() catches the Error and chooses the exit code by its kind.

#pragma once

#include <stdexcept>
#include <string>

namespace ecbench {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,      ///< an option, a profile, a file or a plugin that cannot be used: exit code 1
    unrecoverable,  ///< the code cannot rebuild the wanted chunks from the available ones: exit code 1
    wrong_bytes,    ///< verification found wrong bytes: exit code 2; no figure is printed
  };

  explicit Error(const std::string& message, Kind kind = Kind::bad_input) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace ecbench
