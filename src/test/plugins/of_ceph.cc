// This plugin has the entry points of Ceph's plugins. ecbench must refuse such a plugin without running any of its code. To test
// this, the constructor of a static object ends the process.

namespace {

struct Deadly {
  Deadly() { __builtin_trap(); }
} deadly;

}  // namespace

// The names of Ceph's entry points. NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __erasure_code_version() { return "16.2.15"; }
extern "C" __attribute__((visibility("default"))) int __erasure_code_init(char*, char*) { return 0; }
// NOLINTEND(bugprone-reserved-identifier)
