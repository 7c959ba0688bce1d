# To build a plugin with another version of its library, bench.sh gate copies the plugin's directory, selects the version in this
# copy, and sets ECBENCH_CONTENDER_SOURCE to the path of the copy.
set(ECBENCH_CONTENDER_SOURCE "" CACHE PATH
  "Directory in which the build tools of contenders (go, cargo) run, instead of the plugin's directory")

# ecbench_add_contender(<name> <source>... ARCHIVE <file.a> BUILD <word>... DEPENDS <file>... [LIBRARIES <library>...])
#
# This function builds the plugin libec_<name>.so from a library in another language. BUILD is the command line of that language's
# build tool. The tool makes ARCHIVE, a static library with C functions, from the files in DEPENDS. ARCHIVE is linked into the
# plugin. Therefore the plugin is one file that can be moved, and its build id identifies all of its code. The plugin exports no
# symbol of ARCHIVE. ARCHIVE itself needs LIBRARIES, e.g. pthread.
#
# The build searches PATH for the build tool; CMake itself does not check that the tool exists. The tool runs in the plugin's
# directory and must write only below the build directory. The target `all` does not include contenders.
# `make contenders` builds a contender if its build tool is installed.
function(ecbench_add_contender name)
  cmake_parse_arguments(PARSE_ARGV 1 contender "" "ARCHIVE" "BUILD;DEPENDS;LIBRARIES")
  set(source_directory ${CMAKE_CURRENT_SOURCE_DIR})
  if(ECBENCH_CONTENDER_SOURCE)
    set(source_directory ${ECBENCH_CONTENDER_SOURCE})
  endif()
  add_custom_command(OUTPUT ${contender_ARCHIVE}
    COMMAND ${contender_BUILD}
    DEPENDS ${contender_DEPENDS}
    WORKING_DIRECTORY ${source_directory}
    COMMENT "Building the part of plugin ${name} that is not C++"
    VERBATIM)
  # ARCHIVE is also a source of the plugin. Therefore the plugin's C++ files are compiled after ARCHIVE is made. This order is
  # necessary, because the tool may write a header next to ARCHIVE.
  ecbench_add_plugin(${name} ${contender_UNPARSED_ARGUMENTS} ${contender_ARCHIVE})
  set_source_files_properties(${contender_ARCHIVE} PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
  # Again: ninja puts the source ARCHIVE before the object files on the linker's command line.
  target_link_libraries(ec_${name} PRIVATE ${contender_ARCHIVE} foreign_code ${contender_LIBRARIES})
  target_link_options(ec_${name} PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(ec_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
