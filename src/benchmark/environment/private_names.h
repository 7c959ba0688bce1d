// Takes out of a text what says whose machine it was, so that results can be published as they are.
//
// The rule: a home directory becomes ~ wherever it stands: $HOME, the user's of the password file, /root and /home/anybody. The
// user's name and the host's (whole, and up to its first dot) become USER and HOST where they are a whole word. An option's or a
// parameter's own name stays as it is: only what follows its first = is searched for names.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct PrivateNames {
  std::vector<std::string> homes;
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};

/// Those of this machine and of who runs this process.
PrivateNames private_names();

/// The host's name for a row, up to its first dot, with USER in place of the name of a user; "" if it is not known.
std::string host_name(const PrivateNames& names);

/// A path or any other text.
std::string publishable(const std::string& text, const PrivateNames& names);

/// One argument of a command line.
std::string publishable_argument(const std::string& argument, const PrivateNames& names);

}  // namespace ecbench
