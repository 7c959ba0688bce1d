// --format json: the complete row as one object on one line.

#include "report/reporter.h"
#include "report/row_json.h"

namespace ecbench {
namespace {

class JsonReporter : public Reporter {
 public:
  void print(const Row& row, std::ostream& out) const override { out << json_line(row) << '\n'; }
};

}  // namespace

std::string json_line(const Row& row) {
  return row_json(row).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::unique_ptr<Reporter> make_json_reporter(bool) {
  return std::make_unique<JsonReporter>();
}

}  // namespace ecbench
