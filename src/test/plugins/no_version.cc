// This plugin reports no contract version: ecbench_plugin_version() returns null.

extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {
  return nullptr;
}
extern "C" __attribute__((visibility("default"))) const void* ecbench_plugin() {
  __builtin_trap();
}
