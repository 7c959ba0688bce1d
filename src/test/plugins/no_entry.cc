// This plugin has no entry point.

extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {
  return "ecbench plugin contract 3";
}
