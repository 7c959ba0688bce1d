include(ecbench-contender)

# ecbench_add_cargo_contender(<name> <source>... [CRATE <crate>] [ENVIRONMENT <VARIABLE=value>...]) builds the plugin
# libec_<name>.so from the Rust crate in the plugin's directory. The name of the crate is <crate>, or <name> if CRATE is not given.
# cargo uses the crate versions in Cargo.lock. It uses the network only for crates that are not on this machine yet.
# CARGO_BUILD_TARGET is unset, because it would change the directory of the library.
function(ecbench_add_cargo_contender name)
  cmake_parse_arguments(PARSE_ARGV 1 cargo "" "CRATE" "ENVIRONMENT")
  set(target_directory ${CMAKE_CURRENT_BINARY_DIR}/cargo)
  if(NOT cargo_CRATE)
    set(cargo_CRATE ${name})
  endif()
  string(REPLACE - _ library ${cargo_CRATE})
  if(ECBENCH_PROFILE)
    list(APPEND cargo_ENVIRONMENT RUSTFLAGS=-Cforce-frame-pointers=yes CARGO_PROFILE_RELEASE_DEBUG=true)
  endif()
  file(GLOB own_files CONFIGURE_DEPENDS src/*.rs Cargo.*)
  file(GLOB common_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/foreign_code/rust/src/*.rs
    ${PROJECT_SOURCE_DIR}/src/foreign_code/rust/build.rs ${PROJECT_SOURCE_DIR}/src/foreign_code/rust/Cargo.toml)
  ecbench_add_contender(${name} ${cargo_UNPARSED_ARGUMENTS}
    ARCHIVE ${target_directory}/release/lib${library}.a
    BUILD ${CMAKE_COMMAND} -E env --unset=CARGO_BUILD_TARGET CARGO_TARGET_DIR=${target_directory} ${cargo_ENVIRONMENT}
      cargo build --release --locked --quiet
    DEPENDS ${own_files} ${common_files})
endfunction()
