// --format ceph prints seconds and KB, separated by a tab, as Ceph's tool does.

#include "report/reporter.h"

namespace ecbench {
namespace {

class CephReporter : public Reporter {
 public:
  void print(const Row& row, std::ostream& out) const override {
    out << format_seconds(row.summary.seconds) << '\t' << kb(row.measurement, row.summary.iterations) << '\n';
  }
};

}  // namespace

std::unique_ptr<Reporter> make_ceph_reporter(bool) {
  return std::make_unique<CephReporter>();
}

}  // namespace ecbench
