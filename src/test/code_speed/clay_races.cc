// Compares Clay's encoding with plain Reed-Solomon, and with a plane-by-plane implementation. That implementation first computes
// the uncoupled sub-chunks (U in the Clay paper) of all data chunks, and stores them in a buffer that is as large as all chunks.
// Then it encodes each plane by the scalar code. Then it computes the coding chunks (coupled sub-chunks, C in the paper) from their
// uncoupled sub-chunks.

#include <cstring>
#include <memory>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "erasure_code/probing.h"
#include "race.h"

namespace ecbench {
namespace {

constexpr double aim = 0.5;
constexpr int k = 4;
constexpr int m = 2;
constexpr int n = k + m;
constexpr int q = m;       // because d = n-1
constexpr int groups = 3;  // n / q
constexpr int planes = 8;  // q^groups
constexpr int weights[groups] = {4, 2, 1};

struct Coded {
  Coded(Registry& registry, const std::string& plugin, Profile profile, std::size_t size_bytes)
      : code(registry.make(plugin, profile)), object(*code, random_object(size_bytes, 1)) {}

  std::unique_ptr<ErasureCode> code;
  EncodedObject object;
};

Profile reed_sol_van(int data, int coding) {
  return Profile({{"technique", "reed_sol_van"}, {"k", std::to_string(data)}, {"m", std::to_string(coding)}});
}

/// The plane-by-plane implementation, only for k=4 m=2 d=5. With these parameters, the two coding chunks form one group.
class PlaneByPlane {
 public:
  PlaneByPlane(Registry& registry, const EncodedObject& object)
      : object_(object), uncoupled_(n, object.chunk_size_bytes()), sub_chunk_size_(object.chunk_size_bytes() / planes) {
    Profile scalar = reed_sol_van(k, m);
    scalar_ = registry.make("jerasure", scalar);
    Profile pair = reed_sol_van(2, 2);
    const std::optional<Matrix> matrix = bytewise_matrix(*registry.make("jerasure", pair));
    if (!matrix || (*matrix).at(0, 0) != 1 || (*matrix).at(0, 1) != 1 || (*matrix).at(1, 0) != 1) {
      throw Error("reed_sol_van 2+2 does not have the coding matrix that this benchmark assumes");
    }
    const Element factor = matrix->at(1, 1);
    const Element inverse = GaloisField(8).inverse(factor ^ 1);
    const ProductMaker make = registry.products("jerasure");
    // The products transform a pair of coupled sub-chunks (C). These are sub-chunks 0 and 1. Sub-chunks 2 and 3 are the uncoupled
    // sub-chunks (U) of the same two nodes. Sub-chunks 0 and 2 belong to the node with the higher number.
    uncouple_ = make({{2, {0, 1}, {1, 1}}, {3, {0, 1}, {1, factor}}}, 8, ReadAgain::soon);
    couple_ = make({{1, {2, 3}, {inverse, inverse}}, {0, {2, 1}, {1, 1}}}, 8, ReadAgain::soon);
  }

  void run() const {
    for (int plane = 0; plane < planes; plane++) {
      for (int y = 0; y < k / q; y++) transform(*uncouple_, plane, y);
    }
    for (int plane = 0; plane < planes; plane++) {
      const std::uint8_t* data[k];
      std::uint8_t* coding[m];
      for (int node = 0; node < k; node++) data[node] = u(node, plane);
      for (int i = 0; i < m; i++) coding[i] = u(k + i, plane);
      scalar_->encode(data, coding, sub_chunk_size_);
    }
    for (int plane = 0; plane < planes; plane++) transform(*couple_, plane, groups - 1);
  }

 private:
  std::uint8_t* c(int node, int plane) const { return object_.chunks()[node] + static_cast<std::size_t>(plane) * sub_chunk_size_; }
  std::uint8_t* u(int node, int plane) const { return uncoupled_[node] + static_cast<std::size_t>(plane) * sub_chunk_size_; }

  /// Processes group y in `plane`. In each plane, one of the two nodes of a group has a sub-chunk that is not coupled; this
  /// sub-chunk is copied. The sub-chunk of the other node is coupled with a sub-chunk in another plane. These two sub-chunks form a
  /// pair. One sub-chunk of each pair belongs to the node with the higher number. The call for the plane of this sub-chunk
  /// transforms the pair.
  void transform(const ChunkProducts& products, int plane, int y) const {
    const int digit = plane / weights[y] % q;
    const int unpaired = y * q + digit;
    const bool is_data = unpaired < k;
    std::memcpy(is_data ? u(unpaired, plane) : c(unpaired, plane), is_data ? c(unpaired, plane) : u(unpaired, plane),
                sub_chunk_size_);
    if (digit != 0) return;
    const int high = y * q + 1;
    const int other = plane + weights[y];
    std::uint8_t* const pointers[] = {c(high, plane), c(high - 1, other), u(high, plane), u(high - 1, other)};
    products.run(pointers, sub_chunk_size_);
  }

  const EncodedObject& object_;
  ChunkBuffers uncoupled_;
  std::size_t sub_chunk_size_;
  std::unique_ptr<ErasureCode> scalar_;
  std::unique_ptr<const ChunkProducts> uncouple_;
  std::unique_ptr<const ChunkProducts> couple_;
};

Race clay_race(Registry& registry, std::size_t size_bytes, double aim_of_size) {
  const auto plain = std::make_shared<Coded>(registry, "jerasure", reed_sol_van(k, m), size_bytes);
  const auto clay = std::make_shared<Coded>(registry, "clay", Profile({{"k", "4"}, {"m", "2"}, {"d", "5"}}), size_bytes);
  const auto naive = std::make_shared<PlaneByPlane>(registry, clay->object);
  clay->object.poison({k, k + 1});
  naive->run();
  clay->object.check("encoding plane by plane");
  return {.title = "clay k=4 m=2 d=5, encode, " + std::to_string(size_bytes) + " bytes",
          .object_size_bytes = size_bytes,
          .ways = {{"jerasure reed_sol_van k=4 m=2", 0, [plain] { plain->object.encode(); }},
                   {"clay", aim_of_size, [clay] { clay->object.encode(); }},
                   {"clay, plane by plane with temporaries", 0, [clay, naive] { naive->run(); }}}};
}

}  // namespace

std::vector<Race> clay_races(Registry& registry) {
  return {clay_race(registry, 131072, 0), clay_race(registry, 1048576, aim), clay_race(registry, 4194304, 0)};
}

}  // namespace ecbench
