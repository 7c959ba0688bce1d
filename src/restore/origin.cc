#include "restore/origin.h"

#include "erasure_code/error.h"
#include "erasure_code/plugin_alias.h"
#include "restore/chunk_folder.h"

namespace ecbench {
namespace {

[[noreturn]] void refuse_contradiction(const RestoreRequest& request, const std::string& given, const std::string& recorded) {
  const std::string file = manifest_file(request).string();
  throw Error(given + " is not allowed: " + file + " has " + recorded +
              "; leave the option out; if the manifest is wrong, remove the manifest");
}

void check_against(const RestoreRequest& request, const Manifest& manifest) {
  if (request.plugin && plugin_named(*request.plugin) != manifest.plugin) {
    refuse_contradiction(request, "--plugin " + *request.plugin, "plugin " + manifest.plugin);
  }
  for (const auto& [key, value] : request.profile.values()) {
    if (!manifest.profile.has(key) || manifest.profile.text(key) == value) continue;
    refuse_contradiction(request, "--parameter " + key + "=" + value, key + "=" + manifest.profile.text(key));
  }
  const auto bytes = [](std::size_t size) { return std::to_string(size); };
  if (request.object_size_bytes.value_or(manifest.object_size_bytes) != manifest.object_size_bytes) {
    refuse_contradiction(request, "--size " + bytes(*request.object_size_bytes),
                         "an object of " + counted_bytes(manifest.object_size_bytes));
  }
  const std::size_t unit = request.stripe_unit_bytes.value_or(manifest.stripe_unit_bytes);
  if (unit == manifest.stripe_unit_bytes) return;
  refuse_contradiction(request, "--stripe-unit " + (unit == 0 ? "none" : bytes(unit)),
                       manifest.stripe_unit_bytes == 0 ? "no stripe unit" : "stripe unit " + bytes(manifest.stripe_unit_bytes));
}

/// The code that the manifest describes. The manifest contains all parameters of the code. If the request has a parameter that is
/// not in the manifest, Registry::make() refuses this parameter, or ignores it with a warning.
std::unique_ptr<ErasureCode> code_of(const RestoreRequest& request, const Manifest& manifest, Registry& registry) {
  const std::string file = manifest_file(request).string();
  Profile profile = request.profile;
  for (const auto& [key, value] : manifest.profile.values()) profile.set(key, value);
  const bool has_more = profile.values().size() > manifest.profile.values().size();
  std::unique_ptr<ErasureCode> code;
  try {
    code = registry.make(manifest.plugin, profile, request.limits);
  } catch (const Error& error) {
    throw Error(file + (has_more ? " cannot be used with the given parameters: " : " cannot be used: ") + error.what(),
                error.kind());
  }
  if (profile.values() != manifest.profile.values()) {
    throw Error(
        file + " cannot be used: plugin " + manifest.plugin +
        " of this build and the plugin that encoded the chunks have different parameters; use the build that encoded the chunks");
  }
  const std::size_t chunk_count = manifest.chunk_sha256.size();
  if (chunk_count == static_cast<std::size_t>(code->chunk_count())) return code;
  throw Error(file + " cannot be used: it has digests of " + std::to_string(chunk_count) + " chunks, but its profile has " +
              std::to_string(code->chunk_count()) + " chunks");
}

}  // namespace

std::filesystem::path manifest_file(const RestoreRequest& request) {
  return file_of_set(request.directory, manifest_name);
}

std::string counted_bytes(std::size_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry) {
  if (manifest) {
    check_against(request, *manifest);
    return {code_of(request, *manifest, registry), manifest->object_size_bytes, manifest->stripe_unit_bytes};
  }
  if (!request.plugin) {
    throw Error("--chunks-in " + request.directory + " is not allowed without --plugin: the directory has no " + manifest_name +
                "; give the plugin and the parameters with which the chunks were encoded");
  }
  Profile profile = request.profile;
  return {registry.make(*request.plugin, profile, request.limits), request.object_size_bytes,
          request.stripe_unit_bytes.value_or(0)};
}

}  // namespace ecbench
