// The configurations of the persistent kernels that are built, by name.
#pragma once

#include "matmul/line.h"
#include "matmul/persistent.h"

namespace warpline::inline WARPLINE_TARGET {

struct PersistentTile {
  const char* name;
  PersistentConfig config;
  Leave leave = Leave::copies;
};

/// For every layout of A and B (persistent_unit.cpp.in sets it). Stages: as many as fit beside two
/// store buffers for each warpgroup. _cMxN: clusters; _kN: clusters of which each CTA has a part of
/// K; _p: ping-pong; _t: D is stored transposed, for problems with few rows, A and B exchanged; _s:
/// an epilogue's steps; _any: any address and strides. What each but those with _k is for was
/// measured (docs/measurements.md, the sweeps of 2026-11-30).
namespace persistent_tiles {

/// The largest: few bytes of A and B for each multiply.
inline constexpr PersistentTile t256x192_c1x1{"256x192_c1x1",
                                              {.block_m = 256, .block_n = 192, .stages = 3}};
inline constexpr PersistentTile t128x256_c1x1{"128x256_c1x1",
                                              {.block_m = 128, .block_n = 256, .stages = 4}};
inline constexpr PersistentTile t128x256_c2x1{
    "128x256_c2x1", {.block_m = 128, .block_n = 256, .stages = 4, .cluster_m = 2}};
inline constexpr PersistentTile t128x256_c1x2{
    "128x256_c1x2", {.block_m = 128, .block_n = 256, .stages = 4, .cluster_n = 2}};
inline constexpr PersistentTile t256x128_c1x2{
    "256x128_c1x2", {.block_m = 256, .block_n = 128, .stages = 4, .cluster_n = 2}};

/// In between, for shapes that the largest tiles do not fill.
inline constexpr PersistentTile t128x128_c1x1{"128x128_c1x1",
                                              {.block_m = 128, .block_n = 128, .stages = 6}};

/// Two tiles in turns: one is stored while the other is multiplied.
inline constexpr PersistentTile t128x192_p_c1x1{
    "128x192_p_c1x1", {.block_m = 128, .block_n = 192, .stages = 4, .ping_pong = true}};
inline constexpr PersistentTile t128x192_p_c2x1{
    "128x192_p_c2x1",
    {.block_m = 128, .block_n = 192, .stages = 4, .cluster_m = 2, .ping_pong = true}};
inline constexpr PersistentTile t128x128_p_c1x1{
    "128x128_p_c1x1", {.block_m = 128, .block_n = 128, .stages = 6, .ping_pong = true}};

/// Where a fifth of 10,240 or 5,120 columns is what the chip can be filled with.
inline constexpr PersistentTile t128x160_p_c1x1{
    "128x160_p_c1x1", {.block_m = 128, .block_n = 160, .stages = 5, .ping_pong = true}};

/// Where a round of the chip's CTAs is 10,240 columns: they share A, of which each would read more
/// than of B.
inline constexpr PersistentTile t128x80_c1x2{
    "128x80_c1x2", {.block_m = 128, .block_n = 80, .stages = 7, .cluster_n = 2}};

/// Few columns: A streams through, B is small.
inline constexpr PersistentTile t128x64_t{
    "128x64_t", {.block_m = 128, .block_n = 64, .stages = 7}, Leave::copies_transposed};
inline constexpr PersistentTile t128x16_t{
    "128x16_t", {.block_m = 128, .block_n = 16, .stages = 11}, Leave::copies_transposed};
inline constexpr PersistentTile t64x64_t{
    "64x64_t",
    {.block_m = 64, .block_n = 64, .stages = 12, .warpgroups = 1},
    Leave::copies_transposed};
inline constexpr PersistentTile t64x16k128_t{
    "64x16k128_t",
    {.block_m = 64, .block_n = 16, .block_k = 128, .stages = 10, .warpgroups = 1},
    Leave::copies_transposed};

/// The same in clusters that share B: read by each CTA, a B of 64 rows and more would be most of
/// what L2 has to deliver (128 x 6144 x 4096: 18.9 us in clusters of four, 21.8 without).
inline constexpr PersistentTile t64x128_t_c2x1{
    "64x128_t_c2x1",
    {.block_m = 64, .block_n = 128, .stages = 8, .warpgroups = 1, .cluster_m = 2},
    Leave::copies_transposed};
inline constexpr PersistentTile t64x128_t_c4x1{
    "64x128_t_c4x1",
    {.block_m = 64, .block_n = 128, .stages = 8, .warpgroups = 1, .cluster_m = 4},
    Leave::copies_transposed};

/// The same, two CTAs per multiprocessor.
inline constexpr PersistentTile t64x16x2_t{
    "64x16x2_t",
    {.block_m = 64, .block_n = 16, .block_k = 128, .stages = 5, .warpgroups = 1, .ctas_per_sm = 2},
    Leave::copies_transposed};

/// Few tiles and a long K: the CTAs of a cluster sum parts of K, and add them up among themselves.
/// For problems with few rows, and D stored as it is.
inline constexpr PersistentTile t64x16x2_t_k2{"64x16x2_t_k2",
                                              {.block_m = 64,
                                               .block_n = 16,
                                               .block_k = 128,
                                               .stages = 5,
                                               .warpgroups = 1,
                                               .cluster_k = 2,
                                               .ctas_per_sm = 2},
                                              Leave::copies_transposed};
inline constexpr PersistentTile t64x16x2_t_k4{"64x16x2_t_k4",
                                              {.block_m = 64,
                                               .block_n = 16,
                                               .block_k = 128,
                                               .stages = 5,
                                               .warpgroups = 1,
                                               .cluster_k = 4,
                                               .ctas_per_sm = 2},
                                              Leave::copies_transposed};
inline constexpr PersistentTile t64x16x2_t_k8{"64x16x2_t_k8",
                                              {.block_m = 64,
                                               .block_n = 16,
                                               .block_k = 128,
                                               .stages = 4,
                                               .warpgroups = 1,
                                               .cluster_k = 8,
                                               .ctas_per_sm = 2},
                                              Leave::copies_transposed};
inline constexpr PersistentTile t64x64_t_k2{
    "64x64_t_k2",
    {.block_m = 64, .block_n = 64, .stages = 12, .warpgroups = 1, .cluster_k = 2},
    Leave::copies_transposed};
inline constexpr PersistentTile t128x64_t_k4{
    "128x64_t_k4",
    {.block_m = 128, .block_n = 64, .stages = 8, .cluster_k = 4},
    Leave::copies_transposed};
inline constexpr PersistentTile t128x128_k2{
    "128x128_k2", {.block_m = 128, .block_n = 128, .stages = 5, .cluster_k = 2}};
inline constexpr PersistentTile t64x160_k2{
    "64x160_k2", {.block_m = 64, .block_n = 160, .stages = 6, .warpgroups = 1, .cluster_k = 2}};
/// The same with an epilogue: two CTAs on each multiprocessor.
inline constexpr PersistentTile t64x32x2_s_k4{"64x32x2_s_k4",
                                              {.block_m = 64,
                                               .block_n = 32,
                                               .block_k = 128,
                                               .stages = 4,
                                               .warpgroups = 1,
                                               .cluster_k = 4,
                                               .ctas_per_sm = 2},
                                              Leave::threads};

/// With an epilogue, or a D that the copy engine does not take: no store buffers, one stage more.
inline constexpr PersistentTile t128x128_s{
    "128x128_s", {.block_m = 128, .block_n = 128, .stages = 7}, Leave::threads};
inline constexpr PersistentTile t128x192_s{
    "128x192_s", {.block_m = 128, .block_n = 192, .stages = 5}, Leave::threads};

/// For A and B that the copy engine does not take, in any layout.
inline constexpr PersistentTile t128x128_any{
    "128x128_any",
    {.block_m = 128, .block_n = 128, .stages = 7, .fill = Fill::threads},
    Leave::threads};
/// The same for few tiles: four times as many multiprocessors, each of which has two k tiles on
/// their way at once instead of three quarters of one.
inline constexpr PersistentTile t64x64_any{
    "64x64_any",
    {.block_m = 64, .block_n = 64, .stages = 6, .warpgroups = 1, .fill = Fill::threads},
    Leave::threads};

}  // namespace persistent_tiles

}  // namespace warpline::inline WARPLINE_TARGET
