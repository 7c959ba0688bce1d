#include "benchmark/environment/private_names.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace ecbench {
namespace {

const std::string homes = "/home/";

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_file_name(char c) {
  return in_word(c) || c == '-' || c == '.';
}

std::size_t end_of_file_name(const std::string& text, std::size_t begin) {
  while (begin < text.size() && in_file_name(text[begin])) begin++;
  return begin;
}

/// Replaces `home` by ~, except where `home` is only the beginning of a longer file name.
std::string without_home(std::string text, const std::string& home) {
  for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1)) {
    const std::size_t end = at + home.size();
    if (end_of_file_name(text, end) == end) text.replace(at, home.size(), 1, '~');
  }
  return text;
}

std::string without_homes_of_others(std::string text) {
  for (std::size_t at = text.find(homes); at != std::string::npos; at = text.find(homes, at + 1)) {
    const std::size_t end = end_of_file_name(text, at + homes.size());
    if (end > at + homes.size()) text.replace(at, end - at, 1, '~');
  }
  return text;
}

std::string without_word(std::string text, const std::string& word, const std::string& replacement) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
    if (whole) text.replace(at, word.size(), replacement);
  }
  return text;
}

/// Longer paths are replaced before the paths that they contain: /home/group/me before /home/group, and /home/root before /root.
std::string without_homes(std::string text, const PrivateNames& names) {
  for (const std::string& home : names.homes) {
    if (home.starts_with(homes)) text = without_home(text, home);
  }
  text = without_homes_of_others(text);
  for (const std::string& home : names.homes) text = without_home(text, home);
  return without_home(text, "/root");
}

std::string without_words(std::string text, const PrivateNames& names) {
  for (const std::string& host : names.hosts) text = without_word(text, host, "HOST");
  for (const std::string& user : names.users) text = without_word(text, user, "USER");
  return text;
}

void add(std::vector<std::string>& names, const char* name) {
  std::string text = name == nullptr ? "" : name;
  while (text.ends_with('/')) text.pop_back();
  if (!text.empty() && std::ranges::find(names, text) == names.end()) names.push_back(text);
}

}  // namespace

PrivateNames private_names() {
  PrivateNames names;
  add(names.homes, std::getenv("HOME"));
  add(names.users, std::getenv("USER"));
  add(names.users, std::getenv("LOGNAME"));
  add(names.users, std::getenv("SUDO_USER"));
  if (const passwd* user = getpwuid(geteuid())) {
    add(names.homes, user->pw_dir);
    add(names.users, user->pw_name);
  }
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) {
    add(names.hosts, host.data());
    add(names.hosts, std::string(host.data()).substr(0, std::string(host.data()).find('.')).c_str());
  }
  return names;
}

// Hosts are often named after their users (annas-laptop). Therefore the user's name is replaced even if it is only a part of a word
// in the host's name. However, a user's name of fewer than three letters is replaced only if it is a whole word.
std::string host_name(const PrivateNames& names) {
  constexpr std::size_t fewest_letters = 3;
  const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  std::string host = names.hosts.empty() ? "" : names.hosts.back();
  for (const std::string& user : names.users) {
    if (user.size() < fewest_letters) {
      host = without_word(host, user, "USER");
      continue;
    }
    std::string rest = std::exchange(host, "");
    const auto search = [&] { return std::search(rest.begin(), rest.end(), user.begin(), user.end(), equal); };
    for (auto found = search(); found != rest.end(); found = search()) {
      host.append(rest.begin(), found) += "USER";
      rest.erase(rest.begin(), found + std::ssize(user));
    }
    host += rest;
  }
  return host;
}

std::string publishable(const std::string& text, const PrivateNames& names) {
  return without_words(without_homes(text, names), names);
}

std::string publishable_argument(const std::string& argument, const PrivateNames& names) {
  const std::string text = without_homes(argument, names);
  const std::size_t equals = text.find('=');
  const std::size_t kept = equals != std::string::npos ? equals + 1 : text.starts_with('-') ? text.size() : 0;
  return text.substr(0, kept) + without_words(text.substr(kept), names);
}

}  // namespace ecbench
