// The page of timeline/page, as one string with a place for the data. Internal.
#pragma once

namespace warpline::timeline {

extern const char* const page_text;

/// Where the page wants its data, once.
inline constexpr const char* page_data_place = "/* the timeline */null";

}  // namespace warpline::timeline
