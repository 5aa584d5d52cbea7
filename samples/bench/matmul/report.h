// Rows for people: a table, what they come to together, and a picture.
#pragma once

#include <string>
#include <vector>

#include "samples/bench/matmul/row.h"

namespace bench {

/// A line for each row, with the head above them printed once.
std::string head(bool timed);
std::string line_of(const Row& row, bool timed);

std::string sweep_head();
std::string line_of(const SweepRow& row);

/// "cooperative.128x256.cluster2, 2 splits, raster 8"
std::string to_string(const Forced& how);

/// Geometric means of the ratios of correct rows, by type and by M, cool and sustained; which
/// shapes are below 0.95 of the vendor's best; how many rows are wrong.
std::string summary_of(const std::vector<Row>& rows);
/// What the best of a sweep are to the vendor's best and to the cost model's choice.
std::string summary_of(const std::vector<SweepRow>& rows);

/// Ratios of the cool timings.
std::string svg_of(const std::vector<Row>& rows);

/// Of rows of several builds or drivers, the latest of each shape, type and force; the order stays.
std::vector<Row> latest_of(const std::vector<Row>& rows);

/// Where rows come from, a line for each build.
std::string sources_of(const std::vector<Row>& rows);

}  // namespace bench
