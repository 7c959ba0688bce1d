// Replaces std::make_unique in the source files of a plugin. If a source file calls std::make_unique<Code> for an erasure code, the
// call creates a handicap::Replaced<Code>. The file that includes this header must define handicap::Replaced.

#pragma once

#include <memory>
#include <type_traits>

#include "erasure_code/erasure_code.h"

namespace ecbench::handicap {

template <typename Code>
class Replaced;

}  // namespace ecbench::handicap

// make_replaced() must be in namespace std: the macro below changes std::make_unique to std::make_replaced.
namespace std {

template <typename Type, typename... Arguments>
unique_ptr<Type> make_replaced(Arguments&&... arguments) {
  if constexpr (is_base_of_v<ecbench::ErasureCode, Type>) {
    return unique_ptr<Type>(new ecbench::handicap::Replaced<Type>(forward<Arguments>(arguments)...));
  } else {
    return unique_ptr<Type>(new Type(forward<Arguments>(arguments)...));
  }
}

}  // namespace std

#define make_unique make_replaced
