// Removes the names of the user and of the host from a text, so that results can be published unchanged.
//
// A home directory becomes ~: $HOME, the home directory in the password file, /root, and /home/ANY. The name of the user becomes
// USER if it is a whole word. The name of the host, and its part before the first dot, become HOST if they are whole words. An
// argument of a command line can begin with the name of an option or parameter. In this part of the argument, words are not
// replaced by USER or HOST. This part is the text before the first =, or the whole argument if it begins with - and has no =.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct PrivateNames {
  std::vector<std::string> homes;
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};

/// The names of this machine and of the user who runs this process.
PrivateNames private_names();

/// The host's name for a row: the part before its first dot, with the user's name replaced by USER; "" if it is unknown.
std::string host_name(const PrivateNames& names);

/// Replaces the names in a path or any other text.
std::string publishable(const std::string& text, const PrivateNames& names);

/// Replaces the names in one argument of a command line.
std::string publishable_argument(const std::string& argument, const PrivateNames& names);

}  // namespace ecbench
