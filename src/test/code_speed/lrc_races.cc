// Compares lrc's encoding with a simple implementation, which computes the same chunks by library calls on whole chunks. With
// ISA-L, this implementation makes one call for the global layer, and one XOR call for each local coding chunk. With Jerasure, it
// makes one call for each coding chunk.

#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include <memory>

#include "bare_products.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "erasure_code/probing.h"
#include "race.h"

namespace ecbench {
namespace {

constexpr double aim = 0.95;

struct Groups {
  int k;
  int m;
  int l;
};

struct Coded {
  std::unique_ptr<ErasureCode> code;
  std::unique_ptr<EncodedObject> object;
};

/// The products of the global layer and of the local layers. In each product, sources and destinations are positions.
struct Layers {
  std::vector<Product> global;  // all products have the same sources
  std::vector<Product> local;
};

Layers layers_of(Registry& registry, const Groups& groups) {
  Profile profile({{"technique", "reed_sol_van"}, {"k", std::to_string(groups.k)}, {"m", std::to_string(groups.m)}});
  const std::optional<Matrix> matrix = bytewise_matrix(*registry.make("jerasure", profile));
  if (!matrix) throw Error("reed_sol_van is not a bytewise code any more");
  Layers layers;
  layers.global = products_of(*matrix);
  const int count = (groups.k + groups.m) / groups.l;
  std::vector<int> positions(index(groups.k + groups.m));  // [i] is the position of chunk i of the global layer
  for (int group = 0; group < count; group++) {
    const int first = group * (groups.l + 1);
    const int data = groups.k / count;
    const int coding = groups.m / count;
    for (int i = 0; i < data; i++) positions[index(group * data + i)] = first + i;
    for (int i = 0; i < coding; i++) positions[index(groups.k + group * coding + i)] = first + data + i;
    Product& local = layers.local.emplace_back();
    local.destination = first + groups.l;
    for (int i = 0; i < groups.l; i++) local.sources.push_back(first + i);
    local.coefficients.assign(index(groups.l), 1);
  }
  for (Product& product : layers.global) {
    product.destination = positions[index(product.destination)];
    for (int& source : product.sources) source = positions[index(source)];
  }
  return layers;
}

class IsaLayers {
 public:
  IsaLayers(const Layers& layers, std::span<std::uint8_t* const> chunks, std::size_t size) : size_(static_cast<int>(size)) {
    constexpr std::size_t table_bytes = 32;  // ec_init_tables writes this many bytes for each coefficient
    std::vector<unsigned char> rows;
    for (const Product& product : layers.global) {
      rows.insert(rows.end(), product.coefficients.begin(), product.coefficients.end());
      destinations_.push_back(chunks[index(product.destination)]);
    }
    for (const int source : layers.global.front().sources) sources_.push_back(chunks[index(source)]);
    tables_.resize(rows.size() * table_bytes);
    ec_init_tables(static_cast<int>(sources_.size()), static_cast<int>(destinations_.size()), rows.data(), tables_.data());
    for (const Product& product : layers.local) {
      std::vector<void*>& vectors = local_.emplace_back();
      for (const int source : product.sources) vectors.push_back(chunks[index(source)]);
      vectors.push_back(chunks[index(product.destination)]);
    }
  }

  void operator()() {
    ec_encode_data(size_, static_cast<int>(sources_.size()), static_cast<int>(destinations_.size()), tables_.data(),
                   sources_.data(), destinations_.data());
    for (std::vector<void*>& vectors : local_) xor_gen(static_cast<int>(vectors.size()), size_, vectors.data());
  }

 private:
  int size_;
  std::vector<unsigned char> tables_;
  std::vector<unsigned char*> sources_;
  std::vector<unsigned char*> destinations_;
  std::vector<std::vector<void*>> local_;
};

std::function<void()> bare_layers(const std::string& backend, const Layers& layers, const EncodedObject& object) {
  const std::span<std::uint8_t* const> chunks = object.chunks().all();
  if (backend == "isa") return IsaLayers(layers, chunks, object.chunk_size_bytes());
  std::vector<Product> products = layers.global;
  products.insert(products.end(), layers.local.begin(), layers.local.end());
  return bare_jerasure(products, chunks, object.chunk_size_bytes());
}

Race lrc_race(Registry& registry, const Groups& groups, const std::string& backend, std::size_t size_bytes) {
  Profile profile(
      {{"k", std::to_string(groups.k)}, {"m", std::to_string(groups.m)}, {"l", std::to_string(groups.l)}, {"backend", backend}});
  const auto coded = std::make_shared<Coded>();
  coded->code = registry.make("lrc", profile);
  coded->object = std::make_unique<EncodedObject>(*coded->code, random_object(size_bytes, 1));
  const std::function<void()> naive = bare_layers(backend, layers_of(registry, groups), *coded->object);
  for (const int position : coded->code->coding_positions()) coded->object->poison({position});
  naive();
  coded->object->check("bare layers");
  return {.title = "lrc k=" + profile.text("k") + " m=" + profile.text("m") + " l=" + profile.text("l") + " backend=" + backend +
                   ", encode, " + std::to_string(size_bytes) + " bytes",
          .object_size_bytes = size_bytes,
          .ways = {{"the same layers by library calls", 0, [coded, naive] { naive(); }},
                   {"lrc", aim, [coded] { coded->object->encode(); }}}};
}

}  // namespace

std::vector<Race> lrc_races(Registry& registry) {
  std::vector<Race> races;
  for (const char* backend : {"jerasure", "isa"}) {
    for (const Groups& groups : {Groups{4, 2, 3}, Groups{8, 4, 6}}) {
      for (const std::size_t size_bytes : {131072, 1048576}) races.push_back(lrc_race(registry, groups, backend, size_bytes));
    }
  }
  return races;
}

}  // namespace ecbench
