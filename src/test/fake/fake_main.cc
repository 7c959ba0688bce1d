// fake_ecbench without its own variable would be mistaken for ecbench.

#include <cstdlib>
#include <iostream>

#include "benchmark/environment/environment.h"

int ecbench_main(int argc, char** argv);

namespace ecbench {

std::filesystem::path machine_root() { return ECBENCH_FAKE_MACHINE; }

bool is_fake() { return true; }

}  // namespace ecbench

int main(int argc, char** argv) {
  if (std::getenv("ECBENCH_FAKE") != nullptr) return ecbench_main(argc, argv);
  std::cerr << "ecbench: fake_ecbench invents its times: set ECBENCH_FAKE to the file that describes them, or run ecbench\n";
  return 1;
}
