#include "benchmark/environment/environment.h"

#include <chrono>
#include <ctime>

#include "benchmark/environment/private_names.h"

namespace ecbench {
std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::string text(sizeof("2025-01-31T23:59:59Z") - 1, '\0');
  std::strftime(text.data(), text.size() + 1, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root) {
  const PrivateNames names = private_names();
  Environment environment{
      .fake = is_fake(),
      .date_utc = now_utc(),
      .build = build_info(),
      .cpu = read_cpu_info(root),
      .system = read_system_info(root),
      .cgroup = read_cgroup(root),
      .shared_objects = codec_objects(),
  };
  for (const std::string& argument : arguments) environment.argv.push_back(publishable_argument(argument, names));
  environment.build.compiler_flags = publishable(environment.build.compiler_flags, names);
  if (auto& release = environment.system.kernel_release) release = publishable(*release, names);
  for (SharedObject& object : environment.shared_objects) object.path = publishable(object.path, names);
  return environment;
}

}  // namespace ecbench
