# Writes OUTPUT, a C++ source with the page of timeline/page as one string. cmake -D FOLDER= -D
# OUTPUT= -P this
file(READ "${FOLDER}/page.html" page)
foreach(part page.css draw.js page.js)
  file(READ "${FOLDER}/${part}" text)
  string(REPLACE "/* ${part} */" "${text}" page "${page}")
endforeach()
# Compilers take literals of some tens of kilobytes: in pieces, line by line.
string(REPLACE ")==\"" "" check "${page}")
if(NOT check STREQUAL page)
  message(FATAL_ERROR "the page holds the delimiter of its literal")
endif()
string(LENGTH "${page}" length)
set(literal "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 8000 piece)
  string(APPEND literal "R\"==(${piece})==\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE "${OUTPUT}" "// Written by framework/cmake/EmbedPage.cmake.
#include \"timeline/page.h\"

namespace warpline::timeline {

const char* const page_text =
${literal};

}  // namespace warpline::timeline
")
