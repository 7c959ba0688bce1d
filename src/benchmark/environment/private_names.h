// Removes the names of the user and of the host from a text, so that results can be published unchanged.
//
// These home directories become ~: $HOME, the home directory in the password file, /root, and /home/ANY. The name of the user
// becomes USER if it is a whole word. The name of the host, and its part before the first dot, become HOST if they are whole words.
//
// In the arguments of a command line, names of options and parameters must not become USER or HOST. Therefore, if an argument has
// a =, USER and HOST are used only after the first =. If an argument begins with - and has no =, USER and HOST are not used.
// In other arguments, they are used everywhere.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct PrivateNames {
  std::vector<std::string> homes;
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};

PrivateNames private_names();

/// Up to the first dot, with USER for the user's name; "" if unknown.
std::string host_name(const PrivateNames& names);

std::string publishable(const std::string& text, const PrivateNames& names);

std::string publishable_argument(const std::string& argument, const PrivateNames& names);

}  // namespace ecbench
