// The one error type of the project. Whatever cannot be done is thrown as an Error with a message of one line that says what was
// given, what is allowed and why; main catches it once and turns its kind into the exit code.

#pragma once

#include <stdexcept>
#include <string>

namespace ecbench {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,      ///< an option, a profile, a file or a plugin that cannot be used: exit code 1
    unrecoverable,  ///< the code cannot rebuild what is asked from what is left: exit code 1
    wrong_bytes,    ///< verification found bytes that are not the object's: exit code 2, and no figure
  };

  explicit Error(const std::string& message, Kind kind = Kind::bad_input) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace ecbench
