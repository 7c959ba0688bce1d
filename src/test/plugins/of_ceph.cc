// This plugin has the entry points of Ceph's plugins. The process ends if any code of the plugin runs, including constructors.

namespace {

struct Deadly {
  Deadly() { __builtin_trap(); }
} deadly;

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* __erasure_code_version() {
  return "16.2.15";
}
extern "C" __attribute__((visibility("default"))) int __erasure_code_init(char*, char*) {
  return 0;
}
