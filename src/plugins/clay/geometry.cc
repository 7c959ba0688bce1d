#include "plugins/clay/geometry.h"

namespace ecbench::clay {

Geometry::Geometry(int k, int m, int d) : k_(k), m_(m), q_(d - k + 1), virtual_count_(virtual_count(k, m, d)) {
  for (int nodes = k + m + virtual_count_; nodes > 0; nodes -= q_) {
    weights_.insert(weights_.begin(), sub_chunk_count_);
    sub_chunk_count_ *= q_;
  }
}

int Geometry::virtual_count(int k, int m, int d) {
  const int q = d - k + 1;
  return (q - (k + m) % q) % q;
}

}  // namespace ecbench::clay
