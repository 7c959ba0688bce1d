// The entry points of Ceph's plugins. ecbench must refuse it without running its code, such as the constructor of a static object.

namespace {

struct Deadly {
  Deadly() { __builtin_trap(); }
} deadly;

}  // namespace

// The names of Ceph's entry points. NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __erasure_code_version() { return "16.2.15"; }
extern "C" __attribute__((visibility("default"))) int __erasure_code_init(char*, char*) { return 0; }
// NOLINTEND(bugprone-reserved-identifier)
