#include "timeline/labels.h"

namespace warpline::timeline {

std::string label_of(const Trace& trace, const Track& track) {
  const std::string warp = std::to_string(track.warp);
  switch (track.engine) {
    case Engine::copy:
      return "copy engine";
    case Engine::tensor:
      return "tensor cores, warps " + warp + "-" + std::to_string(track.warp + 3);
    case Engine::warp:
      break;
  }
  const std::string& role = trace.names[track.role];
  return (role.empty() ? "kernel" : role) + ", warp " + warp;
}

std::string label_of(const Trace& trace, const Event& event) {
  const std::string& name = trace.names[event.name];
  const std::string stage = event.stage == no_stage ? "" : "[" + std::to_string(event.stage) + "]";
  switch (event.kind) {
    case Kind::wait:
      return "wait " + name + stage;
    case Kind::multiply_wait:
      return "wait multiply";
    case Kind::store_wait:
      return "wait store " + name;
    case Kind::meet:
      return "meet " + name;
    case Kind::copy_issue:
      return "issue load" + stage;
    case Kind::multiply_issue:
      return "issue multiply" + stage;
    case Kind::release:
      return "release " + name + stage;
    case Kind::store_issue:
      return "issue store";
    case Kind::epilogue:
      return "epilogue";
    case Kind::copy:
    case Kind::store:
    case Kind::multiply:
    case Kind::user:
      return name + stage;
  }
  return name;
}

}  // namespace warpline::timeline
