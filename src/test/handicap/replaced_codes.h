// Makes a plugin's sources create codes of another class: if a source calls std::make_unique<Code> for an erasure code, it gets a
// handicap::Replaced<Code>. The file that includes this header must define handicap::Replaced.

#pragma once

#include <memory>
#include <type_traits>

#include "erasure_code/erasure_code.h"

namespace ecbench::handicap {

template <typename Code>
class Replaced;

}  // namespace ecbench::handicap

// The replacement of std::make_unique must also be in namespace std, because the sources write std::make_unique.
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
