"""Gives times to a version's trace (trace.json).

What each role does, and in which order, is recorded from the kernel. How long things take is
assumed, since the simulator has no time: the lengths below, in units that are no seconds. Who waits
for whom, and for how long, follows.
"""

LOAD = 1.5  # 16 KB; the copy engine takes one tile after the other
MULTIPLY = 4  # a stage, by wgmma
COMPUTE = 7  # a stage, by ldmatrix and mma.sync
STORE = 3
ISSUE = 0.25  # an instruction that only starts something, or says that it is done
HAND_OVER = 0.5  # from the end of what was waited for to the next instruction
SYNC = 0.5


class Barrier:
    def __init__(self):
        self.announced = 0
        self.bytes = 0
        self.landed = {}  # phase: times at which its loads are there
        self.releases = {}  # phase: (time, track) of each arrival
        self.waits = {}  # track: how many so far
        self.first_parity = {}

    def phase_awaited(self, track, parity):
        """Counts waits: nobody is ever more than one phase behind."""
        first = self.first_parity.setdefault(track, parity)
        return self.waits.get(track, 0) - first


class Schedule:
    """boxes: (lane, kind, start, end, label); arrows: (kind, from lane, time, to lane, time)."""

    def __init__(self, version):
        self.tracks = {track: events for track, events in version["tracks"].items()
                       if any(event[0] != "sync" for event in events)}
        self.stages = version["stages"]
        self.boxes, self.arrows = [], []
        self.barriers = {}
        self.time = {track: 0.0 for track in self.tracks}
        self.next = {track: 0 for track in self.tracks}
        self.groups = {track: [] for track in self.tracks}
        self.stage_of = {track: (0, 0) for track in self.tracks}
        self.copy_engine = self.tensor_cores = 0.0
        self.consumers = sum(any(event[0] == "release" for event in events)
                             for events in self.tracks.values())
        while self.step():
            pass
        left = {track: len(events) - self.next[track] for track, events in self.tracks.items()}
        if any(left.values()):
            raise ValueError(f"the trace does not end: {left}")
        self.end = max(end for _, _, _, end, _ in self.boxes)

    def step(self):
        """The earliest track that can go on by one event."""
        for track in sorted(self.tracks, key=lambda name: (self.time[name], name)):
            if self.next[track] < len(self.tracks[track]):
                event = self.tracks[track][self.next[track]]
                if getattr(self, event[0])(track, *event[1:]):
                    self.next[track] += 1
                    return True
        return False

    def barrier(self, name, stage):
        return self.barriers.setdefault((name, stage), Barrier())

    def wait(self, track, name, stage, parity):
        barrier = self.barrier(name, stage)
        phase = barrier.phase_awaited(track, parity)
        start = end = self.time[track]
        if phase >= 0:
            if name == "empty":
                arrivals = barrier.releases.get(phase, [])
                if len(arrivals) < self.consumers:
                    return False
                end = max(time for time, _ in arrivals)
                sources = [("empty", lane, time) for time, lane in arrivals]
            else:
                landed = barrier.landed.get(phase, [])
                if len(landed) < 2:
                    return False
                end = max(landed)
                sources = [("full", "copy engine", end)]
            end = max(start, end) + HAND_OVER
            for kind, lane, time in sources:
                self.arrows.append((kind, lane, time, track, end))
        else:
            end += ISSUE
        barrier.waits[track] = barrier.waits.get(track, 0) + 1
        label = name if self.stages == 1 else f"{name}[{stage}]"
        if name == "empty" and not self.loads_again(track):
            label = "drain"
        self.boxes.append((track, "wait", start, end, label))
        self.stage_of[track] = (stage, phase)
        self.time[track] = end
        return True

    def loads_again(self, track):
        return any(event[0] == "load" for event in self.tracks[track][self.next[track]:])

    def announce(self, track, name, stage, stage_bytes):
        self.barrier(name, stage).announced += 1
        self.barrier(name, stage).bytes = stage_bytes
        self.time[track] += ISSUE
        return True

    def load(self, track, name, stage):
        barrier = self.barrier(name, stage)
        phase = barrier.announced - 1
        start = max(self.time[track], self.copy_engine)
        self.copy_engine = start + LOAD * barrier.bytes / 2 / 16384  # A and B count half each
        landed = barrier.landed.setdefault(phase, [])
        landed.append(self.copy_engine)
        self.time[track] += ISSUE
        label = f"{'A' if len(landed) == 1 else 'B'}{phase * self.stages + stage}"
        self.boxes.append(("copy engine", f"stage{stage}", start, self.copy_engine, label))
        return True

    def multiply(self, track):
        stage, phase = self.stage_of[track]
        self.time[track] += ISSUE
        start = max(self.time[track], self.tensor_cores)
        self.tensor_cores = start + MULTIPLY
        self.groups[track].append(self.tensor_cores)
        label = f"multiply {phase * self.stages + stage}"
        if self.consumers > 1:
            label = f"{phase * self.stages + stage}, half {track[-1]}"
        self.boxes.append(("tensor cores", f"stage{stage}", start, self.tensor_cores, label))
        return True

    def finish(self, track, pending):
        start = self.time[track]
        done = self.groups[track][-1 - pending] if len(self.groups[track]) > pending else start
        self.time[track] = max(start, done) + ISSUE
        self.boxes.append((track, "wait", start, self.time[track], "wgmma"))
        return True

    def release(self, track, name, stage):
        barrier = self.barrier(name, stage)
        phase = sum(lane == track for arrivals in barrier.releases.values()
                    for _, lane in arrivals)
        barrier.releases.setdefault(phase, []).append((self.time[track], track))
        self.time[track] += ISSUE
        return True

    def work(self, track, length, label, kind="work"):
        start = self.time[track]
        self.time[track] += length
        self.boxes.append((track, kind, start, self.time[track], label))
        return True

    def compute(self, track):
        stage, phase = self.stage_of[track]
        start = self.time[track]
        self.boxes.append(("tensor cores", f"stage{stage}", start, start + COMPUTE,
                           f"multiply {phase * self.stages + stage}"))
        return self.work(track, COMPUTE, "ldmatrix, mma.sync")

    def sync(self, track):
        return self.work(track, SYNC, "")

    def store(self, track):
        return self.work(track, STORE, "store C")
