// This plugin reports that it was built for an old version of the plugin contract.

extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {
  return "ecbench plugin contract 0";
}
extern "C" __attribute__((visibility("default"))) const void* ecbench_plugin() {
  __builtin_trap();
}
