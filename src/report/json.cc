// --format json: one object with all there is to know of the row.

#include <nlohmann/json.hpp>

#include "report/reporter.h"

namespace ecbench {
namespace {

class JsonReporter : public Reporter {
 public:
  void print(const Row& row, std::ostream& out) const override {
    const Measurement& measurement = row.measurement;
    const Point& point = measurement.point;
    nlohmann::ordered_json json;
    json["plugin"] = point.plugin;
    json["profile"] = point.profile.values();
    json["workload"] = point.workload;
    json["k"] = measurement.data_chunk_count;
    json["m"] = measurement.chunk_count - measurement.data_chunk_count;
    json["chunk_count"] = measurement.chunk_count;
    json["size"] = point.size_bytes;
    json["chunk_size"] = measurement.chunk_size_bytes;
    json["erasures"] = point.erasures;
    json["erased"] = point.erased;
    json["patterns"] = measurement.patterns;
    json["unrecoverable"] = measurement.unrecoverable;
    json["iterations"] = point.iterations;
    json["seconds"] = measurement.seconds;
    json["kb"] = measurement.kb();
    json["gb_per_s"] = measurement.gb_per_s();
    json["seed"] = point.seed;
    json["verified"] = true;  // a measurement whose bytes are not right never gets here
    json["command"] = row.command;
    out << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  }
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(bool) { return std::make_unique<JsonReporter>(); }

}  // namespace ecbench
