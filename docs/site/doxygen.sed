# What Doxygen reads instead of a header: without the inline namespace of the target, with the
# comment at the top as the file's description, and with what is indented in a comment as code.
/^namespace/ s/::inline WARPLINE_TARGET//
1,/^#pragma once/ {
  s|^//\( *\)|///\1|
  1i /// @file
}
s|^\( *///\)\(   *\)|\1    \2|
