# Compile units of a configuration space that is declared in C++ (framework/tuner/space.h).

# warpline_list_space(OUT LISTER INCLUDES folder...)
#
# Sets OUT to the points that the program LISTER prints (framework/tuner/list.h), each
# "subset NAME=VALUE ..." or "full NAME=VALUE ...". It is compiled and run now, so that CMake holds
# no copy of the space or of what prunes it; again only if it or a header that it includes changed,
# which also configures the build again.
function(warpline_list_space out lister)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "INCLUDES")
  cmake_path(ABSOLUTE_PATH lister NORMALIZE)
  cmake_path(GET lister STEM name)
  set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  _warpline_dependencies(depends "${program}.d")
  set(fresh FALSE)
  if(EXISTS "${program}" AND depends)
    set(fresh TRUE)
    foreach(file IN LISTS depends ITEMS "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
      if(NOT EXISTS "${file}" OR "${file}" IS_NEWER_THAN "${program}")
        set(fresh FALSE)
      endif()
    endforeach()
  endif()

  if(NOT fresh)
    list(TRANSFORM arg_INCLUDES PREPEND -I)
    # No launcher: ccache may name dependencies by relative paths.
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 ${arg_INCLUDES} -MMD -MF
                            "${program}.d" -MT lister -c "${lister}" -o "${program}.o"
                    COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${flags} "${program}.o" -o "${program}"
                    COMMAND_ERROR_IS_FATAL ANY)
    _warpline_dependencies(depends "${program}.d")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${depends})

  execute_process(COMMAND "${program}" OUTPUT_VARIABLE points OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" points "${points}")
  set(${out} ${points} PARENT_SCOPE)
endfunction()

# The files that a compiler's dependency file names; nothing if there is none.
function(_warpline_dependencies out file)
  set(text "")
  if(EXISTS "${file}")
    file(READ "${file}" text)
    string(REGEX REPLACE "^[^:]*:|\\\\\n" " " text "${text}")
    separate_arguments(text UNIX_COMMAND "${text}")
  endif()
  set(${out} ${text} PARENT_SCOPE)
endfunction()

# warpline_space_units(TEMPLATE PREFIX POINTS point... SUBSET out FULL out)
#
# Writes a unit from TEMPLATE (`name.cpp.in`) for each point of warpline_list_space. The template
# mentions the point's names in capitals, as @STAGES@, and @UNIT@: PREFIX and all values, a C++
# name. The variables after SUBSET and FULL get the names of the subset's units and of all units; a
# unit's file is ${CMAKE_CURRENT_BINARY_DIR}/units/<name>.cpp. A unit's name holds its values, so
# that a change of the space leaves the other units as they are.
function(warpline_space_units template prefix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SUBSET;FULL" "POINTS")
  set(subset "")
  set(full "")
  foreach(point IN LISTS arg_POINTS)
    separate_arguments(words UNIX_COMMAND "${point}")
    list(POP_FRONT words membership)
    set(UNIT "${prefix}")
    foreach(word IN LISTS words)
      string(REGEX MATCH "^([a-z_]+)=([0-9]+)$" matched "${word}")
      if(NOT matched)
        message(FATAL_ERROR "'${point}' is no point of a space: NAME=VALUE is expected")
      endif()
      string(TOUPPER "${CMAKE_MATCH_1}" variable)
      set(${variable} "${CMAKE_MATCH_2}")
      string(APPEND UNIT "_${CMAKE_MATCH_2}")
    endforeach()
    configure_file("${template}" "${CMAKE_CURRENT_BINARY_DIR}/units/${UNIT}.cpp" @ONLY)
    list(APPEND full ${UNIT})
    if(membership STREQUAL "subset")
      list(APPEND subset ${UNIT})
    endif()
  endforeach()
  set(${arg_SUBSET} ${subset} PARENT_SCOPE)
  set(${arg_FULL} ${full} PARENT_SCOPE)
endfunction()
