"""The picture of who waits for whom in one version: a lane for each role and engine."""

from schedule import Schedule
from svg import Svg

UNIT = 17  # pixels
LEFT = 100
LANE = 34
GAP = 30
TOP = 46

WORDS = {
    "v0": "v0: one stage, ordinary tensor-core instructions",
    "v1": "v1: one stage, wgmma",
    "v2": "v2: a ring of two stages, filled by the warps that multiply",
    "v3": "v3: two stages, a producer warp and a consumer warpgroup",
    "v4": "v4: three stages, one multiply kept in flight",
    "v5": "v5: three stages, two consumer warpgroups that share B",
}


def lanes_of(schedule):
    """Top to bottom, the way of the data; (track, name)."""
    lanes = [("copy engine", "copy engine")]
    for track in sorted(schedule.tracks, key=lambda name: (not name.startswith("prod"), name)):
        role, warpgroup = track.split("/")
        several = sum(other.startswith(role + "/") for other in schedule.tracks) > 1
        lanes.append((track, f"{role} {warpgroup}" if several else role))
    return [*lanes, ("tensor cores", "tensor cores")]


def legend(svg, y, arrows):
    x = LEFT
    for kind, words in (("full", "the stage is full"), ("empty", "the stage is free")):
        if kind in arrows:
            svg.path(kind, [(x, y - 4), (x + 22, y - 4)], ' stroke-width="1.5"')
            svg.text(x + 28, y, words, kind="small")
            x += 145
    for kind, words in (("wait", "waits"), ("work", "works, or meets the others")):
        svg.rectangle(kind, x, y - 10, 22, 11)
        svg.text(x + 28, y, words, kind="small")
        x += 85


def draw(version, trace):
    schedule = Schedule(trace)
    lanes = lanes_of(schedule)
    top = {track: TOP + index * (LANE + GAP) for index, (track, _) in enumerate(lanes)}
    height = TOP + len(lanes) * (LANE + GAP) + 14
    width = max(int(LEFT + schedule.end * UNIT) + 16, 700)
    waits = ", ".join(sorted({f"{track.split('/')[0]} for {label}" for track, kind, _, _, label
                              in schedule.boxes if kind == "wait"}))
    svg = Svg(width, height, f"Who waits for whom in {WORDS[version]}",
              f"Time runs to the right; lanes: {', '.join(name for _, name in lanes)}. "
              f"Waits: {waits}.")
    svg.text(14, 26, WORDS[version], kind="title")

    def x_of(time):
        return LEFT + time * UNIT

    for track, name in lanes:
        svg.rectangle("lane", LEFT, top[track], schedule.end * UNIT, LANE)
        svg.text(LEFT - 8, top[track] + LANE / 2 + 4, name, "end")
    for track, kind, start, end, label in schedule.boxes:
        svg.rectangle(kind, x_of(start), top[track] + 3, (end - start) * UNIT, LANE - 6)
    for kind, source, start, track, end in schedule.arrows:
        down = top[track] > top[source]
        svg.arrow(kind, (x_of(start), top[source] + (LANE - 3 if down else 3)),
                  (x_of(end), top[track] + (3 if down else LANE - 3)))
    for track, kind, start, end, label in schedule.boxes:
        if (end - start) * UNIT > len(label) * 6:
            svg.text(x_of((start + end) / 2), top[track] + LANE / 2 + 4, label, "middle", "small")
    legend(svg, height - 14, {kind for kind, *_ in schedule.arrows})
    return svg.written()
