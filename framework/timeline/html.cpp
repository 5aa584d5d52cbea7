// The page: its text is in timeline/page; here are its data.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "timeline/flows.h"
#include "timeline/labels.h"
#include "timeline/occupancy.h"
#include "timeline/page.h"
#include "timeline/shown.h"
#include "timeline/write.h"

namespace warpline::timeline {

namespace {

using Json = nlohmann::ordered_json;

const char* to_string(Engine engine) {
  return engine == Engine::warp ? "warp" : engine == Engine::copy ? "copy" : "tensor";
}

Json events_of(const Track& track) {
  Json events = Json::array();
  for (const Event& event : track.events) {
    for (const std::int64_t value :
         {static_cast<std::int64_t>(event.begin), static_cast<std::int64_t>(event.end),
          static_cast<std::int64_t>(event.kind), static_cast<std::int64_t>(event.name),
          event.stage == no_stage ? std::int64_t{-1} : static_cast<std::int64_t>(event.stage),
          static_cast<std::int64_t>(event.amount)}) {
      events.push_back(value);
    }
  }
  return events;
}

}  // namespace

void write_html(const Trace& whole, const Summary& summary, const WriteOptions& options,
                std::ostream& out) {
  const Trace trace = shown_part(whole, options.shown_events);
  Json data{{"summary", Json::parse(to_json(summary))},
            {"cycles_per_microsecond", trace.cycles_per_microsecond},
            {"shown", trace.events()},
            {"names", trace.names}};
  for (int kind = 0; kind < kinds; ++kind) {
    data["kinds"].push_back(to_string(static_cast<Kind>(kind)));
  }
  std::uint64_t from = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t to = 0;
  for (const CtaSpan& span : trace.ctas) {
    from = std::min(from, span.begin);
    to = std::max(to, span.end);
  }
  data["tracks"] = Json::array();
  for (const Track& track : trace.tracks) {
    data["tracks"].push_back({{"sm", track.sm},
                              {"cta", track.cta},
                              {"engine", to_string(track.engine)},
                              {"role", trace.names[track.role]},
                              {"label", label_of(trace, track)},
                              {"e", events_of(track)}});
  }
  data["from"] = trace.ctas.empty() ? 0 : from;
  data["to"] = to;
  data["flows"] = Json::array();
  for (const Flow& flow : flows_of(trace)) {
    for (const std::uint32_t value :
         {flow.from_track, flow.from_event, flow.to_track, flow.to_event}) {
      data["flows"].push_back(value);
    }
  }
  data["rings"] = Json::array();
  for (const Occupancy& ring : occupancies_of(trace)) {
    Json steps = Json::array();
    for (const auto& [time, full] : ring.steps) {
      steps.push_back(time);
      steps.push_back(full);
    }
    data["rings"].push_back(
        {{"cta", ring.cta}, {"stages", ring.stages}, {"end", ring.end}, {"steps", steps}});
  }
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Within a script, "</" could end it.
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos;) {
    text.insert(at + 1, "\\");
  }
  const std::string_view page = page_text;
  const std::size_t place = page.find(page_data_place);
  out << page.substr(0, place) << text
      << page.substr(place + std::string_view(page_data_place).size());
}

}  // namespace warpline::timeline
