// This plugin returns no version of the plugin contract.

extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {
  return nullptr;
}
extern "C" __attribute__((visibility("default"))) const void* ecbench_plugin() {
  __builtin_trap();
}
