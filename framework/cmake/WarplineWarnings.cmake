# The warnings of Warpline's own code. They are errors when Warpline is the top-level project.
function(warpline_warnings target)
  # Not about `#pragma unroll`, nor about members that a designated initialiser leaves to be zero.
  # And -Wrestrict of g++ 12 is wrong about `"text" + std::string` (GCC's bug 105651).
  set(not -Wno-unknown-pragmas -Wno-missing-field-initializers -Wno-restrict)
  set(cxx -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align)
  # Fewer for the host half of a .cu, since nvcc writes that: the others are about what it wrote.
  set(cuda -Wall -Wextra ${not})
  list(JOIN cuda "," cuda)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${cxx};${not}>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${cuda}>")
endfunction()
