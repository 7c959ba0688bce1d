// Compares shec's encoding with a simple implementation, which makes one library call for each row of the coding matrix. This
// implementation leaves out coefficients that are zero.

#include <memory>

#include "bare_products.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "erasure_code/probing.h"
#include "race.h"

namespace ecbench {
namespace {

constexpr double aim = 0.95;

struct Coded {
  std::unique_ptr<ErasureCode> code;
  std::unique_ptr<EncodedObject> object;
};

Race shec_race(Registry& registry, const std::string& backend, std::size_t size_bytes) {
  Profile profile({{"k", "8"}, {"m", "4"}, {"c", "3"}, {"backend", backend}});
  const auto coded = std::make_shared<Coded>();
  coded->code = registry.make("shec", profile);
  coded->object = std::make_unique<EncodedObject>(*coded->code, random_object(size_bytes, 1));
  const std::optional<Matrix> matrix = bytewise_matrix(*coded->code);
  if (!matrix) throw Error("shec is not a bytewise code any more");
  const auto bare = backend == "isa" ? bare_isa : bare_jerasure;
  const std::function<void()> naive = bare(products_of(*matrix), coded->object->chunks().all(), coded->object->chunk_size_bytes());
  for (const int position : coded->code->coding_positions()) coded->object->poison({position});
  naive();
  coded->object->check("bare products");
  return {.title = "shec k=8 m=4 c=3 backend=" + backend + ", encode, " + std::to_string(size_bytes) + " bytes",
          .object_size_bytes = size_bytes,
          .ways = {{"the same rows by library calls", 0, [coded, naive] { naive(); }},
                   {"shec", aim, [coded] { coded->object->encode(); }}}};
}

}  // namespace

std::vector<Race> shec_races(Registry& registry) {
  std::vector<Race> races;
  for (const char* backend : {"jerasure", "isa"}) {
    for (const std::size_t size_bytes : {131072, 1048576}) races.push_back(shec_race(registry, backend, size_bytes));
  }
  return races;
}

}  // namespace ecbench
