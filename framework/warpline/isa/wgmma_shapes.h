// The 32 shapes of wgmma.mma_async.m64nNk16 with fp32 accumulators, as assembler statements. GPU
// only.
//
// The assembler text must name every accumulator register, and the C++ side must bind every one of
// them, so each N needs its own literal. REGISTERS_x and BIND_x grow eight columns (four registers)
// at a time.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa::wgmma_shapes {

/// Statement for N columns; specialised below. `Type` is 0 for fp16 and 1 for bf16.
template <int N>
struct Shape;

// clang-format off

#define WARPLINE_REGISTERS_8 "%0, %1, %2, %3"
#define WARPLINE_REGISTERS_16 WARPLINE_REGISTERS_8 ", %4, %5, %6, %7"
#define WARPLINE_REGISTERS_24 WARPLINE_REGISTERS_16 ", %8, %9, %10, %11"
#define WARPLINE_REGISTERS_32 WARPLINE_REGISTERS_24 ", %12, %13, %14, %15"
#define WARPLINE_REGISTERS_40 WARPLINE_REGISTERS_32 ", %16, %17, %18, %19"
#define WARPLINE_REGISTERS_48 WARPLINE_REGISTERS_40 ", %20, %21, %22, %23"
#define WARPLINE_REGISTERS_56 WARPLINE_REGISTERS_48 ", %24, %25, %26, %27"
#define WARPLINE_REGISTERS_64 WARPLINE_REGISTERS_56 ", %28, %29, %30, %31"
#define WARPLINE_REGISTERS_72 WARPLINE_REGISTERS_64 ", %32, %33, %34, %35"
#define WARPLINE_REGISTERS_80 WARPLINE_REGISTERS_72 ", %36, %37, %38, %39"
#define WARPLINE_REGISTERS_88 WARPLINE_REGISTERS_80 ", %40, %41, %42, %43"
#define WARPLINE_REGISTERS_96 WARPLINE_REGISTERS_88 ", %44, %45, %46, %47"
#define WARPLINE_REGISTERS_104 WARPLINE_REGISTERS_96 ", %48, %49, %50, %51"
#define WARPLINE_REGISTERS_112 WARPLINE_REGISTERS_104 ", %52, %53, %54, %55"
#define WARPLINE_REGISTERS_120 WARPLINE_REGISTERS_112 ", %56, %57, %58, %59"
#define WARPLINE_REGISTERS_128 WARPLINE_REGISTERS_120 ", %60, %61, %62, %63"
#define WARPLINE_REGISTERS_136 WARPLINE_REGISTERS_128 ", %64, %65, %66, %67"
#define WARPLINE_REGISTERS_144 WARPLINE_REGISTERS_136 ", %68, %69, %70, %71"
#define WARPLINE_REGISTERS_152 WARPLINE_REGISTERS_144 ", %72, %73, %74, %75"
#define WARPLINE_REGISTERS_160 WARPLINE_REGISTERS_152 ", %76, %77, %78, %79"
#define WARPLINE_REGISTERS_168 WARPLINE_REGISTERS_160 ", %80, %81, %82, %83"
#define WARPLINE_REGISTERS_176 WARPLINE_REGISTERS_168 ", %84, %85, %86, %87"
#define WARPLINE_REGISTERS_184 WARPLINE_REGISTERS_176 ", %88, %89, %90, %91"
#define WARPLINE_REGISTERS_192 WARPLINE_REGISTERS_184 ", %92, %93, %94, %95"
#define WARPLINE_REGISTERS_200 WARPLINE_REGISTERS_192 ", %96, %97, %98, %99"
#define WARPLINE_REGISTERS_208 WARPLINE_REGISTERS_200 ", %100, %101, %102, %103"
#define WARPLINE_REGISTERS_216 WARPLINE_REGISTERS_208 ", %104, %105, %106, %107"
#define WARPLINE_REGISTERS_224 WARPLINE_REGISTERS_216 ", %108, %109, %110, %111"
#define WARPLINE_REGISTERS_232 WARPLINE_REGISTERS_224 ", %112, %113, %114, %115"
#define WARPLINE_REGISTERS_240 WARPLINE_REGISTERS_232 ", %116, %117, %118, %119"
#define WARPLINE_REGISTERS_248 WARPLINE_REGISTERS_240 ", %120, %121, %122, %123"
#define WARPLINE_REGISTERS_256 WARPLINE_REGISTERS_248 ", %124, %125, %126, %127"

#define WARPLINE_BIND(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define WARPLINE_BIND_8 WARPLINE_BIND(0)
#define WARPLINE_BIND_16 WARPLINE_BIND_8, WARPLINE_BIND(4)
#define WARPLINE_BIND_24 WARPLINE_BIND_16, WARPLINE_BIND(8)
#define WARPLINE_BIND_32 WARPLINE_BIND_24, WARPLINE_BIND(12)
#define WARPLINE_BIND_40 WARPLINE_BIND_32, WARPLINE_BIND(16)
#define WARPLINE_BIND_48 WARPLINE_BIND_40, WARPLINE_BIND(20)
#define WARPLINE_BIND_56 WARPLINE_BIND_48, WARPLINE_BIND(24)
#define WARPLINE_BIND_64 WARPLINE_BIND_56, WARPLINE_BIND(28)
#define WARPLINE_BIND_72 WARPLINE_BIND_64, WARPLINE_BIND(32)
#define WARPLINE_BIND_80 WARPLINE_BIND_72, WARPLINE_BIND(36)
#define WARPLINE_BIND_88 WARPLINE_BIND_80, WARPLINE_BIND(40)
#define WARPLINE_BIND_96 WARPLINE_BIND_88, WARPLINE_BIND(44)
#define WARPLINE_BIND_104 WARPLINE_BIND_96, WARPLINE_BIND(48)
#define WARPLINE_BIND_112 WARPLINE_BIND_104, WARPLINE_BIND(52)
#define WARPLINE_BIND_120 WARPLINE_BIND_112, WARPLINE_BIND(56)
#define WARPLINE_BIND_128 WARPLINE_BIND_120, WARPLINE_BIND(60)
#define WARPLINE_BIND_136 WARPLINE_BIND_128, WARPLINE_BIND(64)
#define WARPLINE_BIND_144 WARPLINE_BIND_136, WARPLINE_BIND(68)
#define WARPLINE_BIND_152 WARPLINE_BIND_144, WARPLINE_BIND(72)
#define WARPLINE_BIND_160 WARPLINE_BIND_152, WARPLINE_BIND(76)
#define WARPLINE_BIND_168 WARPLINE_BIND_160, WARPLINE_BIND(80)
#define WARPLINE_BIND_176 WARPLINE_BIND_168, WARPLINE_BIND(84)
#define WARPLINE_BIND_184 WARPLINE_BIND_176, WARPLINE_BIND(88)
#define WARPLINE_BIND_192 WARPLINE_BIND_184, WARPLINE_BIND(92)
#define WARPLINE_BIND_200 WARPLINE_BIND_192, WARPLINE_BIND(96)
#define WARPLINE_BIND_208 WARPLINE_BIND_200, WARPLINE_BIND(100)
#define WARPLINE_BIND_216 WARPLINE_BIND_208, WARPLINE_BIND(104)
#define WARPLINE_BIND_224 WARPLINE_BIND_216, WARPLINE_BIND(108)
#define WARPLINE_BIND_232 WARPLINE_BIND_224, WARPLINE_BIND(112)
#define WARPLINE_BIND_240 WARPLINE_BIND_232, WARPLINE_BIND(116)
#define WARPLINE_BIND_248 WARPLINE_BIND_240, WARPLINE_BIND(120)
#define WARPLINE_BIND_256 WARPLINE_BIND_248, WARPLINE_BIND(124)

// p0..p8 are the numbers of the operands that follow the accumulators.
#define WARPLINE_FROM_SHARED(N, type, p0, p1, p2, p3, p4, p5, p6) \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" p2 ", 0;\n" \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." type "." type " {" \
               WARPLINE_REGISTERS_##N "}, " \
               "%" p0 ", %" p1 ", p, %" p3 ", %" p4 ", %" p5 ", %" p6 ";\n}" \
               : WARPLINE_BIND_##N \
               : "l"(a), "l"(b), "r"(accumulate), "n"(ScaleA), "n"(ScaleB), \
                 "n"(MajorA), "n"(MajorB) \
               : "memory")
#define WARPLINE_FROM_REGISTERS(N, type, p0, p1, p2, p3, p4, p5, p6, p7, p8) \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" p5 ", 0;\n" \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." type "." type " {" \
               WARPLINE_REGISTERS_##N "}, " \
               "{%" p0 ", %" p1 ", %" p2 ", %" p3 "}, %" p4 ", p, %" p6 ", %" p7 ", %" p8 ";\n}" \
               : WARPLINE_BIND_##N \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(ScaleA), \
                 "n"(ScaleB), "n"(MajorB) \
               : "memory")
#define WARPLINE_SHAPE(N, p0, p1, p2, p3, p4, p5, p6, p7, p8) \
  template <> \
  struct Shape<N> { \
    template <int Type, int ScaleA, int ScaleB, int MajorA, int MajorB> \
    static WARPLINE_DEVICE void from_shared(float (&d)[N / 2], uint64_t a, uint64_t b, \
                                            int accumulate) { \
      if constexpr (Type == 0) { \
        WARPLINE_FROM_SHARED(N, "f16", p0, p1, p2, p3, p4, p5, p6); \
      } else { \
        WARPLINE_FROM_SHARED(N, "bf16", p0, p1, p2, p3, p4, p5, p6); \
      } \
    } \
    template <int Type, int ScaleA, int ScaleB, int MajorB> \
    static WARPLINE_DEVICE void from_registers(float (&d)[N / 2], const uint32_t (&a)[4], \
                                               uint64_t b, int accumulate) { \
      if constexpr (Type == 0) { \
        WARPLINE_FROM_REGISTERS(N, "f16", p0, p1, p2, p3, p4, p5, p6, p7, p8); \
      } else { \
        WARPLINE_FROM_REGISTERS(N, "bf16", p0, p1, p2, p3, p4, p5, p6, p7, p8); \
      } \
    } \
  };

WARPLINE_SHAPE(8, "4", "5", "6", "7", "8", "9", "10", "11", "12")
WARPLINE_SHAPE(16, "8", "9", "10", "11", "12", "13", "14", "15", "16")
WARPLINE_SHAPE(24, "12", "13", "14", "15", "16", "17", "18", "19", "20")
WARPLINE_SHAPE(32, "16", "17", "18", "19", "20", "21", "22", "23", "24")
WARPLINE_SHAPE(40, "20", "21", "22", "23", "24", "25", "26", "27", "28")
WARPLINE_SHAPE(48, "24", "25", "26", "27", "28", "29", "30", "31", "32")
WARPLINE_SHAPE(56, "28", "29", "30", "31", "32", "33", "34", "35", "36")
WARPLINE_SHAPE(64, "32", "33", "34", "35", "36", "37", "38", "39", "40")
WARPLINE_SHAPE(72, "36", "37", "38", "39", "40", "41", "42", "43", "44")
WARPLINE_SHAPE(80, "40", "41", "42", "43", "44", "45", "46", "47", "48")
WARPLINE_SHAPE(88, "44", "45", "46", "47", "48", "49", "50", "51", "52")
WARPLINE_SHAPE(96, "48", "49", "50", "51", "52", "53", "54", "55", "56")
WARPLINE_SHAPE(104, "52", "53", "54", "55", "56", "57", "58", "59", "60")
WARPLINE_SHAPE(112, "56", "57", "58", "59", "60", "61", "62", "63", "64")
WARPLINE_SHAPE(120, "60", "61", "62", "63", "64", "65", "66", "67", "68")
WARPLINE_SHAPE(128, "64", "65", "66", "67", "68", "69", "70", "71", "72")
WARPLINE_SHAPE(136, "68", "69", "70", "71", "72", "73", "74", "75", "76")
WARPLINE_SHAPE(144, "72", "73", "74", "75", "76", "77", "78", "79", "80")
WARPLINE_SHAPE(152, "76", "77", "78", "79", "80", "81", "82", "83", "84")
WARPLINE_SHAPE(160, "80", "81", "82", "83", "84", "85", "86", "87", "88")
WARPLINE_SHAPE(168, "84", "85", "86", "87", "88", "89", "90", "91", "92")
WARPLINE_SHAPE(176, "88", "89", "90", "91", "92", "93", "94", "95", "96")
WARPLINE_SHAPE(184, "92", "93", "94", "95", "96", "97", "98", "99", "100")
WARPLINE_SHAPE(192, "96", "97", "98", "99", "100", "101", "102", "103", "104")
WARPLINE_SHAPE(200, "100", "101", "102", "103", "104", "105", "106", "107", "108")
WARPLINE_SHAPE(208, "104", "105", "106", "107", "108", "109", "110", "111", "112")
WARPLINE_SHAPE(216, "108", "109", "110", "111", "112", "113", "114", "115", "116")
WARPLINE_SHAPE(224, "112", "113", "114", "115", "116", "117", "118", "119", "120")
WARPLINE_SHAPE(232, "116", "117", "118", "119", "120", "121", "122", "123", "124")
WARPLINE_SHAPE(240, "120", "121", "122", "123", "124", "125", "126", "127", "128")
WARPLINE_SHAPE(248, "124", "125", "126", "127", "128", "129", "130", "131", "132")
WARPLINE_SHAPE(256, "128", "129", "130", "131", "132", "133", "134", "135", "136")

#undef WARPLINE_SHAPE
#undef WARPLINE_FROM_REGISTERS
#undef WARPLINE_FROM_SHARED
#undef WARPLINE_BIND
#undef WARPLINE_BIND_8
#undef WARPLINE_REGISTERS_8
#undef WARPLINE_BIND_16
#undef WARPLINE_REGISTERS_16
#undef WARPLINE_BIND_24
#undef WARPLINE_REGISTERS_24
#undef WARPLINE_BIND_32
#undef WARPLINE_REGISTERS_32
#undef WARPLINE_BIND_40
#undef WARPLINE_REGISTERS_40
#undef WARPLINE_BIND_48
#undef WARPLINE_REGISTERS_48
#undef WARPLINE_BIND_56
#undef WARPLINE_REGISTERS_56
#undef WARPLINE_BIND_64
#undef WARPLINE_REGISTERS_64
#undef WARPLINE_BIND_72
#undef WARPLINE_REGISTERS_72
#undef WARPLINE_BIND_80
#undef WARPLINE_REGISTERS_80
#undef WARPLINE_BIND_88
#undef WARPLINE_REGISTERS_88
#undef WARPLINE_BIND_96
#undef WARPLINE_REGISTERS_96
#undef WARPLINE_BIND_104
#undef WARPLINE_REGISTERS_104
#undef WARPLINE_BIND_112
#undef WARPLINE_REGISTERS_112
#undef WARPLINE_BIND_120
#undef WARPLINE_REGISTERS_120
#undef WARPLINE_BIND_128
#undef WARPLINE_REGISTERS_128
#undef WARPLINE_BIND_136
#undef WARPLINE_REGISTERS_136
#undef WARPLINE_BIND_144
#undef WARPLINE_REGISTERS_144
#undef WARPLINE_BIND_152
#undef WARPLINE_REGISTERS_152
#undef WARPLINE_BIND_160
#undef WARPLINE_REGISTERS_160
#undef WARPLINE_BIND_168
#undef WARPLINE_REGISTERS_168
#undef WARPLINE_BIND_176
#undef WARPLINE_REGISTERS_176
#undef WARPLINE_BIND_184
#undef WARPLINE_REGISTERS_184
#undef WARPLINE_BIND_192
#undef WARPLINE_REGISTERS_192
#undef WARPLINE_BIND_200
#undef WARPLINE_REGISTERS_200
#undef WARPLINE_BIND_208
#undef WARPLINE_REGISTERS_208
#undef WARPLINE_BIND_216
#undef WARPLINE_REGISTERS_216
#undef WARPLINE_BIND_224
#undef WARPLINE_REGISTERS_224
#undef WARPLINE_BIND_232
#undef WARPLINE_REGISTERS_232
#undef WARPLINE_BIND_240
#undef WARPLINE_REGISTERS_240
#undef WARPLINE_BIND_248
#undef WARPLINE_REGISTERS_248
#undef WARPLINE_BIND_256
#undef WARPLINE_REGISTERS_256
// clang-format on

}  // namespace warpline::inline WARPLINE_TARGET::isa::wgmma_shapes
