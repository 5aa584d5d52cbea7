# What Doxygen reads instead of a header: without the inline namespace of the target, and with the
# comment at the top as the file's description (tables in it stay as they are typed).
s/::inline WARPLINE_TARGET//
1,/^#pragma once/ {
  s|^//    *|///         |
  s|^// |/// |
  s|^//$|///|
  1i /// @file
}
