# ecbench_contract_digest(<variable> <header>...) sets <variable> to the contract version for these headers. The contract version is
# the first 16 hexadecimal digits of a SHA-256 of their names and contents. CMake runs again when a header has changed.
function(ecbench_contract_digest variable)
  set(headers ${ARGN})
  list(SORT headers)
  set(sums "")
  foreach(header ${headers})
    get_filename_component(header_name ${header} NAME)
    file(SHA256 ${header} sum)
    string(APPEND sums "${header_name} ${sum}\n")
  endforeach()
  string(SHA256 digest "${sums}")
  string(SUBSTRING ${digest} 0 16 digest)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(${variable} ${digest} PARENT_SCOPE)
endfunction()

# ecbench_add_plugin(<name> <source>...) builds libec_<name>.so. The function can be called in this source tree and, after
# find_package(ecbench), in any other source tree. In another tree, the contract version is computed from the installed headers,
# even if the headers have been changed after the installation.
function(ecbench_add_plugin name)
  add_library(ec_${name} MODULE ${ARGN})
  if(TARGET ecbench::erasure_code)
    target_link_libraries(ec_${name} PRIVATE ecbench::erasure_code)
    get_target_property(include_directory ecbench::erasure_code INTERFACE_INCLUDE_DIRECTORIES)
    file(GLOB headers CONFIGURE_DEPENDS ${include_directory}/erasure_code/*.h)
    list(FILTER headers EXCLUDE REGEX "/contract_digest\\.h$")
    ecbench_contract_digest(digest ${headers})
    target_compile_definitions(ec_${name} PRIVATE ECBENCH_CONTRACT_DIGEST="${digest}")
  else()
    target_link_libraries(ec_${name} PRIVATE erasure_code)
    if(NOT ECBENCH_SANITIZE)  # with sanitizers, some functions are in the program
      target_link_options(ec_${name} PRIVATE LINKER:-z,defs)
    endif()
  endif()
  set_target_properties(ec_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
