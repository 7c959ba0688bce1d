# ecbench_add_plugin(<name> <source>...) builds libec_<name>.so, in this tree and, after find_package(ecbench), in any other.
function(ecbench_add_plugin name)
  add_library(ec_${name} MODULE ${ARGN})
  if(TARGET ecbench::erasure_code)
    target_link_libraries(ec_${name} PRIVATE ecbench::erasure_code)
  else()
    target_link_libraries(ec_${name} PRIVATE erasure_code)
  endif()
  set_target_properties(ec_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
