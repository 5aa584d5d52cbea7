// Rows and how they are painted. Nothing here knows of keys and pointers.
"use strict";

const fields = 6;  // of an event: begin, end, kind, name, stage, amount
const row_height = 18;
const label_width = 190;
const ruler_height = 24;
const colours = {wait: "--other-wait", multiply_wait: "--multiply-wait", store_wait: "--store-wait",
  meet: "--meet", copy: "--copy", multiply: "--multiply", store: "--store", epilogue: "--epilogue",
  user: "--user"};

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function colour_name(kind, name) {
  if (kind === "wait") {
    return name === "full" || name === "loaded" ? "--full"
      : name === "empty" ? "--empty" : "--other-wait";
  }
  return colours[kind] || "--moment";
}

function event_of(track, index) {
  const e = track.e, at = index * fields;
  return {begin: e[at], end: e[at + 1], kind: data.kinds[e[at + 2]], name: data.names[e[at + 3]],
    stage: e[at + 4], amount: e[at + 5]};
}

function title_of(event) {
  const stage = event.stage < 0 ? "" : "[" + event.stage + "]";
  switch (event.kind) {
    case "wait": return "waits for " + event.name + stage;
    case "multiply_wait": return "waits for its multiply";
    case "store_wait": return "waits for a store (" + event.name + ")";
    case "meet": return "meets its " + event.name;
    case "copy_issue": return "issues a load" + stage;
    case "multiply_issue": return "issues a multiply" + stage;
    case "store_issue": return "issues a store";
    case "release": return "releases " + event.name + stage;
    case "epilogue": return "epilogue";
    default: return event.name + stage;
  }
}

// One row for each warp and engine, more where loads overlap; a strip for the ring's occupancy.
function make_rows() {
  const rows = [];
  let cta = null;
  data.tracks.forEach((track, index) => {
    const key = track.sm + "/" + track.cta;
    if (key !== cta) {
      cta = key;
      rows.push({head: "SM " + track.sm + ", CTA " + track.cta});
      const ring = data.rings.find(r => r.cta === track.cta);
      if (ring) {
        rows.push({ring: ring, label: "full stages (of " + ring.stages + ")"});
      }
    }
    const count = track.e.length / fields;
    if (count === 0) return;
    if (track.engine !== "copy") {
      rows.push({track: index, label: track.label, events: Array.from({length: count}, (_, i) => i)});
      return;
    }
    const order = Array.from({length: count}, (_, i) => i)
      .sort((a, b) => track.e[a * fields] - track.e[b * fields]);
    const lanes = [], free = [];
    for (const i of order) {
      let lane = free.findIndex(at => at <= track.e[i * fields]);
      if (lane < 0) {
        lane = free.length;
        lanes.push([]);
      }
      free[lane] = track.e[i * fields + 1];
      lanes[lane].push(i);
    }
    lanes.forEach((events, lane) =>
      rows.push({track: index, label: lane === 0 ? track.label : "", events: events}));
  });
  return rows;
}

// The first event of a row that ends after `time`; ends are in order within a row.
function first_after(row, time) {
  const e = data.tracks[row.track].e;
  let low = 0, high = row.events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (e[row.events[middle] * fields + 1] < time) low = middle + 1; else high = middle;
  }
  return low;
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.rows = make_rows();
    this.first = data.from;
    this.last = Math.max(data.to, data.from + 1);
    this.from = this.first;
    this.to = this.last;
    this.scroll = 0;
    this.arrows = true;
    this.chosen = null;
    this.boxes = new Map();
    this.row_of = new Map();
    this.rows.forEach((row, r) => (row.events || []).forEach(i =>
      this.row_of.set(row.track + "/" + i, r)));
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }
  x(time) {
    return label_width + (time - this.from) / (this.to - this.from) * (this.width - label_width);
  }
  time(x) {
    return this.from + (x - label_width) / (this.width - label_width) * (this.to - this.from);
  }
  y(row) { return ruler_height + row * row_height - this.scroll; }

  paint() {
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    const g = this.g = this.canvas.getContext("2d");
    g.scale(scale, scale);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    this.palette = {};
    for (const name of ["--ground", "--text", "--faint", "--line", "--band", "--accent", "--full",
      "--empty", "--moment", "--other-wait", ...Object.values(colours)]) {
      this.palette[name] = style(name);
    }
    g.fillStyle = this.palette["--ground"];
    g.fillRect(0, 0, this.width, this.height);
    const first = Math.max(0, Math.floor(this.scroll / row_height));
    const last = Math.min(this.rows.length, first + Math.ceil(this.height / row_height) + 1);
    for (let r = first; r < last; ++r) this.paint_row(r);
    if (this.arrows) this.paint_arrows(first, last);
    this.paint_chosen();
    this.paint_ruler();
  }

  paint_row(r) {
    const g = this.g, row = this.rows[r], y = this.y(r);
    if (row.head) {
      g.fillStyle = this.palette["--band"];
      g.fillRect(0, y, this.width, row_height);
      g.fillStyle = this.palette["--text"];
      g.fillText(row.head, 8, y + row_height / 2);
      return;
    }
    if (row.ring) this.paint_ring(row.ring, y); else this.paint_events(row, y);
    g.fillStyle = this.palette["--ground"];
    g.fillRect(0, y, label_width, row_height);
    g.fillStyle = this.palette["--faint"];
    g.fillText(row.label, 16, y + row_height / 2);
    g.fillStyle = this.palette["--line"];
    g.fillRect(0, y + row_height - 1, this.width, 0.5);
  }

  paint_events(row, y) {
    const g = this.g, e = data.tracks[row.track].e;
    let drawn_to = -1;
    for (let i = first_after(row, this.from); i < row.events.length; ++i) {
      const event = event_of(data.tracks[row.track], row.events[i]);
      if (event.begin > this.to) break;
      const left = Math.max(this.x(event.begin), label_width), right = this.x(event.end);
      if (right < drawn_to + 0.25) continue;  // many events in one pixel
      drawn_to = right;
      g.fillStyle = this.palette[colour_name(event.kind, event.name)];
      if (event.end === event.begin) {
        g.fillRect(left - 0.5, y + 3, 1, row_height - 6);
        continue;
      }
      const inset = event.kind === "user" ? 5 : 2;
      g.fillRect(left, y + inset, Math.max(right - left, 0.5), row_height - 2 * inset - 1);
      if (right - left > 44) {
        g.save();
        g.beginPath();
        g.rect(left, y, right - left - 3, row_height);
        g.clip();
        g.fillStyle = this.palette["--ground"];
        const stage = event.stage < 0 || event.kind === "multiply_wait" ? "" : "[" + event.stage + "]";
        g.fillText((event.name || event.kind) + stage, left + 3, y + row_height / 2);
        g.restore();
      }
    }
  }

  paint_ring(ring, y) {
    const g = this.g, steps = ring.steps;
    g.fillStyle = this.palette["--copy"];
    let low = 0, high = steps.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle * 2] < this.from) low = middle + 1; else high = middle;
    }
    for (let i = Math.max(low - 1, 0); i * 2 < steps.length && steps[i * 2] < this.to; ++i) {
      const left = Math.max(this.x(steps[i * 2]), label_width);
      const right = i * 2 + 2 < steps.length ? this.x(steps[i * 2 + 2]) : this.x(ring.end);
      const tall = steps[i * 2 + 1] / ring.stages * (row_height - 3);
      g.fillRect(left, y + row_height - 1 - tall, Math.max(right - left, 0.5), tall);
    }
  }

  paint_arrows(first, last) {
    const g = this.g;
    if ((this.to - this.from) * 40 > (this.last - this.first) * this.width) {
      if (data.flows.length / 4 > 600 && this.to - this.from > (this.last - this.first) / 4) return;
    }
    g.strokeStyle = this.palette["--faint"];
    g.fillStyle = this.palette["--faint"];
    g.lineWidth = 1;
    for (let i = 0; i < data.flows.length; i += 4) {
      const [from_track, from_event, to_track, to_event] = data.flows.slice(i, i + 4);
      const cause = event_of(data.tracks[from_track], from_event);
      const wait = event_of(data.tracks[to_track], to_event);
      if (wait.end < this.from || cause.end > this.to) continue;
      const a = this.row_of.get(from_track + "/" + from_event);
      const b = this.row_of.get(to_track + "/" + to_event);
      if (Math.max(a, b) < first || Math.min(a, b) > last) continue;
      const x1 = this.x(cause.end), y1 = this.y(a) + row_height / 2;
      const x2 = this.x(wait.end), y2 = this.y(b) + row_height / 2;
      if (x1 < label_width || x2 > this.width) continue;
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
      g.stroke();
      g.beginPath();
      const down = y2 > y1 ? 1 : -1;
      g.moveTo(x2, y2);
      g.lineTo(x2 - 3, y2 - 6 * down);
      g.lineTo(x2 + 3, y2 - 6 * down);
      g.fill();
    }
  }

  paint_chosen() {
    if (!this.chosen) return;
    const event = event_of(data.tracks[this.chosen.track], this.chosen.event);
    const y = this.y(this.row_of.get(this.chosen.track + "/" + this.chosen.event));
    const left = Math.max(this.x(event.begin), label_width);
    this.g.strokeStyle = this.palette["--accent"];
    this.g.lineWidth = 2;
    this.g.strokeRect(left - 1, y, Math.max(this.x(event.end) - left, 1) + 2, row_height - 1);
  }

  paint_ruler() {
    const g = this.g;
    g.fillStyle = this.palette["--ground"];
    g.fillRect(0, 0, this.width, ruler_height);
    const span = this.to - this.from;
    let step = Math.pow(10, Math.floor(Math.log10(span / 8)));
    for (const factor of [1, 2, 5, 10]) {
      if (span / (step * factor) <= 10) { step *= factor; break; }
    }
    step = Math.max(step, 1);
    g.fillStyle = this.palette["--faint"];
    g.textAlign = "center";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = this.x(t);
      g.fillRect(x, ruler_height - 5, 1, 5);
      if (x > label_width + 25 && x < this.width - 25) g.fillText(t.toLocaleString("en"), x, 10);
    }
    g.textAlign = "left";
    g.fillText(data.summary.unit, 8, 10);
    g.fillStyle = this.palette["--line"];
    g.fillRect(0, ruler_height - 1, this.width, 1);
  }

  // What is at a point of the canvas; null if nothing.
  find(x, y) {
    const r = Math.floor((y - ruler_height + this.scroll) / row_height);
    const row = this.rows[r];
    if (x < label_width || y < ruler_height || !row || !row.events) return null;
    let best = null, distance = 4;
    for (let i = first_after(row, this.time(x - 4)); i < row.events.length; ++i) {
      const event = event_of(data.tracks[row.track], row.events[i]);
      const left = this.x(event.begin), right = this.x(event.end);
      if (left > x + 4) break;
      const off = x < left ? left - x : x > right ? x - right : 0;
      if (off < distance || (off === distance && best === null)) {
        distance = off;
        best = {track: row.track, event: row.events[i]};
      }
    }
    return best;
  }
}
