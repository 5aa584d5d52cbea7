// The page: tables, keys, pointers.
"use strict";

const canvas = document.getElementById("view");
const painter = new Painter(canvas);
const element = (name, text, cls) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (cls) made.className = cls;
  return made;
};
const number = value => Math.round(value).toLocaleString("en");
const percent = value => (value * 100).toFixed(1) + " %";

function describe(track, index) {
  const t = data.tracks[track], event = event_of(t, index);
  const lines = [t.label + " of CTA " + t.cta + " on SM " + t.sm, title_of(event)];
  if (event.end > event.begin) {
    const us = (event.end - event.begin) / data.cycles_per_microsecond;
    lines.push(number(event.end - event.begin) + " cycles (" + us.toFixed(3) + " us), from " +
      number(event.begin) + " to " + number(event.end));
  } else {
    lines.push("at " + number(event.begin));
  }
  if (event.amount) {
    lines.push(number(event.amount) +
      (event.kind.startsWith("multiply") ? " cycles at full rate" : " bytes"));
  }
  return lines;
}

function fill_page() {
  const s = data.summary;
  const title = "Timeline of " + s.kernel;
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("facts").textContent = s.events === 0 ? "Nothing was recorded."
    : `On the ${s.target}: ${number(s.cycles)} ${s.unit} (${s.microseconds.toFixed(1)} us), ` +
      `${number(s.ctas)} CTAs on ${s.multiprocessors} SMs, ${number(s.events)} events. ` +
      `Tensor cores busy ${percent(s.tensor_busy_share)} of the time.`;
  const b = s.longest_bubble;
  document.getElementById("bubble").textContent = b === null ? ""
    : `Longest bubble: ${number(b.cycles)} cycles on SM ${b.sm}: ${b.cause}. ` +
      `Without it, ${percent(b.predicted_gain)} faster.`;
  document.getElementById("to-bubble").disabled = b === null;
  const warnings = [];
  if (data.shown < s.events) {
    warnings.push(`Shown: ${number(data.shown)} of ${number(s.events)} events; totals are of all.`);
  }
  if (s.dropped_events || s.dropped_ctas) {
    warnings.push(`No room was left for ${number(s.dropped_events)} events and ` +
      `${number(s.dropped_ctas)} CTAs.`);
  }
  if (s.cut_warps) warnings.push(`${number(s.cut_warps)} warps did not reach their end.`);
  const warning = document.getElementById("warning");
  warning.textContent = warnings.join(" ");
  warning.hidden = warnings.length === 0;

  const totals = document.querySelector("#totals tbody");
  for (const role of s.roles) {
    const line = (what, cycles, count, share, shown) => {
      const row = element("tr", "");
      row.append(element("td", shown ? role.role : ""), element("td", shown ? role.warps : "", "number"),
        element("td", what), element("td", number(cycles), "number"),
        element("td", count === "" ? "" : number(count), "number"),
        element("td", percent(share), "number"));
      Object.assign(row.dataset, {role: role.role, what: what, cycles: cycles});
      totals.append(row);
    };
    line("waits", role.waiting_cycles, "", role.waiting_share, true);
    for (const share of role.shares) {
      if (share.cycles > 0) {
        const event = {kind: share.kind, name: share.name, stage: -1};
        line(title_of(event), share.cycles, share.count, share.share, false);
      }
    }
  }
  const bubbles = document.querySelector("#bubbles tbody");
  for (const kind of s.bubbles) {
    const row = element("tr", "");
    row.append(element("td", kind.cause), element("td", number(kind.count), "number"),
      element("td", number(kind.cycles), "number"), element("td", percent(kind.share), "number"),
      element("td", percent(kind.predicted_gain), "number"));
    bubbles.append(row);
  }
  const legend = document.getElementById("legend");
  for (const [name, text] of [["--full", "waits for full"], ["--empty", "waits for empty"],
    ["--multiply-wait", "waits for multiply"], ["--store-wait", "waits for store"],
    ["--meet", "meets"], ["--copy", "load"], ["--multiply", "multiply"], ["--epilogue", "epilogue"],
    ["--store", "store"], ["--user", "named by the kernel"], ["--moment", "issue, release"]]) {
    const item = element("li", "");
    const sample = element("i", "");
    sample.style.background = `var(${name})`;
    item.append(sample, text);
    legend.append(item);
  }
}

function zoom(factor, around) {
  const span = Math.min(Math.max((painter.to - painter.from) * factor, 8),
    (painter.last - painter.first) * 1.05);
  const part = (around - painter.from) / (painter.to - painter.from);
  painter.from = around - part * span;
  painter.to = painter.from + span;
  settle();
}
function pan(cycles) {
  painter.from += cycles;
  painter.to += cycles;
  settle();
}
function scroll(pixels) {
  painter.scroll += pixels;
  settle();
}
function show(from, to) {
  painter.from = from;
  painter.to = Math.max(to, from + 8);
  settle();
}

let frame = 0;
function settle() {
  const span = painter.to - painter.from;
  const room = (painter.last - painter.first) * 0.05 + span * 0.2;
  if (painter.from < painter.first - room) painter.from = painter.first - room;
  if (painter.from + span > painter.last + room) painter.from = painter.last + room - span;
  painter.to = painter.from + span;
  const most = Math.max(0, painter.rows.length * row_height + ruler_height - painter.height);
  painter.scroll = Math.min(Math.max(painter.scroll, 0), most);
  if (frame === 0) {
    frame = requestAnimationFrame(() => { frame = 0; painter.paint(); });
  }
}

function choose(track, event) {
  painter.chosen = {track: track, event: event};
  document.getElementById("chosen").textContent = describe(track, event).join("; ");
  const e = event_of(data.tracks[track], event);
  if (e.begin < painter.from || e.end > painter.to) {
    const span = Math.max(painter.to - painter.from, (e.end - e.begin) * 1.2);
    const middle = (e.begin + e.end) / 2;
    painter.from = middle - span / 2;
    painter.to = middle + span / 2;
  }
  const y = painter.row_of.get(track + "/" + event) * row_height;
  if (y < painter.scroll) painter.scroll = y;
  const bottom = painter.height - ruler_height - row_height;
  if (y > painter.scroll + bottom) painter.scroll = y - bottom;
  settle();
}

// The event after (or before) the chosen one in its track, or the first in view.
function step(direction) {
  if (!painter.chosen) {
    const row = painter.rows.find(r => r.events && r.events.length > 0);
    if (row) choose(row.track, row.events[Math.min(first_after(row, painter.from),
      row.events.length - 1)]);
    return;
  }
  const {track, event} = painter.chosen;
  const row = painter.rows[painter.row_of.get(track + "/" + event)];
  const next = row.events[row.events.indexOf(event) + direction];
  if (next !== undefined) choose(track, next);
}

function step_track(direction) {
  if (!painter.chosen) {
    step(1);
    return;
  }
  const {track, event} = painter.chosen;
  const time = event_of(data.tracks[track], event).begin;
  let r = painter.row_of.get(track + "/" + event);
  do { r += direction; } while (painter.rows[r] && !(painter.rows[r].events || []).length);
  const row = painter.rows[r];
  if (row) choose(row.track, row.events[Math.min(first_after(row, time), row.events.length - 1)]);
}

function to_bubble() {
  const b = data.summary.longest_bubble;
  if (b === null) return;
  const head = painter.rows.findIndex(r => r.head === `SM ${b.sm}, CTA ${b.cta}`);
  if (head >= 0) painter.scroll = head * row_height;
  show(b.begin - b.cycles, b.begin + 2 * b.cycles);
}
function toggle_arrows() {
  painter.arrows = !painter.arrows;
  document.getElementById("arrows").setAttribute("aria-pressed", painter.arrows);
  settle();
}
function toggle_theme() {
  document.documentElement.classList.toggle("dark");
  settle();
}

const middle = () => (painter.from + painter.to) / 2;
const whole = () => show(painter.first, painter.last);
const keys = {
  "ArrowLeft": () => pan(-(painter.to - painter.from) / 8),
  "ArrowRight": () => pan((painter.to - painter.from) / 8),
  "ArrowUp": () => step_track(-1),
  "ArrowDown": () => step_track(1),
  "PageUp": () => scroll(-painter.height / 2),
  "PageDown": () => scroll(painter.height / 2),
  "+": () => zoom(1 / 1.5, middle()), "=": () => zoom(1 / 1.5, middle()),
  "-": () => zoom(1.5, middle()), "0": whole, "Home": whole,
  "n": () => step(1), "p": () => step(-1), "b": to_bubble, "a": toggle_arrows, "t": toggle_theme,
  "Enter": () => {
    if (!painter.chosen) return;
    const e = event_of(data.tracks[painter.chosen.track], painter.chosen.event);
    const span = Math.max(e.end - e.begin, 8);
    show(e.begin - span, e.end + span);
  },
};
canvas.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

const tip = document.getElementById("tip");
let drag = null;
const place = event => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const [x] = place(event);
  if (event.shiftKey) scroll(event.deltaY || event.deltaX);
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(event.deltaX / (painter.width - label_width) * (painter.to - painter.from));
  } else zoom(Math.exp(event.deltaY * 0.0015), painter.time(Math.max(x, label_width)));
}, {passive: false});
canvas.addEventListener("pointerdown", event => {
  canvas.focus({preventScroll: true});
  drag = {x: event.clientX, y: event.clientY, moved: false};
  if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", event => {
  const [x, y] = place(event);
  if (drag) {
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    drag = {x: event.clientX, y: event.clientY, moved: drag.moved || Math.abs(dx) + Math.abs(dy) > 2};
    painter.scroll -= dy;
    pan(-dx / (painter.width - label_width) * (painter.to - painter.from));
    tip.hidden = true;
    return;
  }
  const found = painter.find(x, y);
  tip.hidden = found === null;
  if (found) {
    tip.textContent = describe(found.track, found.event).join("\n");
    tip.style.left = Math.min(x + 14, Math.max(painter.width - tip.offsetWidth - 4, 0)) + "px";
    tip.style.top = (y + 18 + tip.offsetHeight > painter.height ? y - tip.offsetHeight - 8 : y + 18) +
      "px";
  }
});
canvas.addEventListener("pointerup", event => {
  const moved = drag && drag.moved;
  drag = null;
  const found = painter.find(...place(event));
  if (!moved && found) choose(found.track, found.event);
});
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });

document.getElementById("zoom-in").onclick = keys["+"];
document.getElementById("zoom-out").onclick = keys["-"];
document.getElementById("fit").onclick = whole;
document.getElementById("to-bubble").onclick = to_bubble;
document.getElementById("arrows").onclick = toggle_arrows;
document.getElementById("theme").onclick = toggle_theme;
window.addEventListener("resize", settle);
const prefers_dark = window.matchMedia("(prefers-color-scheme: dark)");
document.documentElement.classList.toggle("dark", prefers_dark.matches);
prefers_dark.addEventListener("change", event => {
  document.documentElement.classList.toggle("dark", event.matches);
  settle();
});
fill_page();
painter.paint();
