#include "directories.h"

namespace ecbench {

std::filesystem::path plugin_directory() { return ECBENCH_TEST_PLUGIN_DIR; }

std::filesystem::path faulty_plugin_directory() { return ECBENCH_FAULTY_PLUGIN_DIR; }

std::filesystem::path test_data_directory() { return ECBENCH_TEST_DATA_DIR; }

}  // namespace ecbench
