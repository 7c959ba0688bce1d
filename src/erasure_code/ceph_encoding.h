// For codes whose coding chunks Ceph computes only in part. A class that derives from ErasureCode may also derive from
// CephEncoding.

#pragma once

#include "erasure_code/erasure_code.h"

namespace ecbench {

class CephEncoding {
 public:
  virtual ~CephEncoding() = default;

  /// The coding chunks that encode() computes, but Ceph's plugin with the same profile does not: their bytes in Ceph are undefined.
  /// Ascending.
  virtual Positions never_computed_by_ceph() const = 0;
};

/// Empty for the codes that do not derive from CephEncoding.
inline Positions never_computed_by_ceph(const ErasureCode& code) {
  const auto* encoding = dynamic_cast<const CephEncoding*>(&code);
  return encoding == nullptr ? Positions() : encoding->never_computed_by_ceph();
}

}  // namespace ecbench
