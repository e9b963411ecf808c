// One row, when it is opened: what was measured of it, why it changed, where it stands, what to type.

/** The launches of a side as objects, relative to the other side's median where there is one. */
function launchesOf(row, side, reference) {
  const series = row[side];
  if (!series || !series.ppm) return [];
  return series.ppm.map((ppm, i) => ({
    side: side === "now" ? "this build" : "before", launch: i + 1,
    speed: series.median * (1 + ppm / 1e6), change: (series.median * (1 + ppm / 1e6)) / reference - 1,
    mhz: series.mhz?.[i], away: series.away?.[i] ?? 0, displaced: (series.displaced || []).includes(i),
  }));
}

function sides(row) {
  const reference = row.base?.median || row.now?.median || 1;
  return [...launchesOf(row, "base", reference), ...launchesOf(row, "now", reference)];
}

const sideColour = () => ({field: "side", type: "nominal", scale: {domain: ["before", "this build"], range: [colours().base, colours().now]},
  legend: {orient: "top", title: null}});
const sideShape = {field: "side", type: "nominal", scale: {domain: ["before", "this build"], range: ["circle", "diamond"]}, legend: {orient: "top", title: null}};
const percentAxis = {labelExpr: "(datum.value > 0 ? '+' : datum.value < 0 ? '\u2212' : '') + format(abs(datum.value) * 100, '.4~r') + ' %'"};
const changeOf = (title) => ({field: "change", type: "quantitative", title, axis: percentAxis, scale: {zero: false, nice: true}});
/** A place in time: whole numbers alone have a mark. */
function placeAxis(field, title, most) {
  const axis = most <= 12 ? {format: "d", values: Array.from({length: most}, (_, i) => i + 1)} : {format: "d", tickMinStep: 1};
  return {field, type: "quantitative", title, axis, scale: {nice: false, zero: false, padding: 12}};
}

function launchAxisOf(row) {
  return placeAxis("launch", "launch, in order of time", Math.max(row.now?.ppm?.length || 0, row.base?.ppm?.length || 0));
}

function launchesSpec(row) {
  const values = sides(row);
  const launchAxis = launchAxisOf(row);
  const points = {mark: {type: "point", filled: true, size: 60, opacity: 0.9}, encoding: {x: launchAxis, y: changeOf("throughput against the median before"),
    color: sideColour(), shape: sideShape, tooltip: [{field: "side"}, {field: "launch"}, {field: "speed", format: ".5s", title: "units/s"}]}};
  const joined = {transform: [{pivot: "side", value: "change", groupby: ["launch"]}], mark: {type: "rule", color: colours().faint},
    encoding: {x: launchAxis, y: {field: "before", type: "quantitative"}, y2: {field: "this build"}}};
  return {width: "container", height: 240, data: {values}, layer: row.paired ? [joined, points] : [points]};
}

function distributionSpec(row) {
  return {width: "container", height: 110, data: {values: sides(row)}, layer: [
    {mark: {type: "boxplot", extent: "min-max", size: 26, opacity: 0.35, median: {color: colours().ink}}, encoding: {
      x: changeOf("throughput against the median before"), y: {field: "side", type: "nominal", title: null}, color: {...sideColour(), legend: null}}},
    {mark: {type: "tick", thickness: 1.5, size: 18}, encoding: {x: changeOf("throughput against the median before"),
      y: {field: "side", type: "nominal", title: null}, color: {...sideColour(), legend: null}}}]};
}

function conditionsSpec(row) {
  const values = sides(row);
  const launchAxis = launchAxisOf(row);
  const line = (field, title) => ({width: "container", height: 110, mark: {type: "line", point: true, strokeWidth: 1}, encoding: {
    x: launchAxis, y: {field, type: "quantitative", title, scale: {zero: field === "away"}}, color: sideColour()}});
  const clocks = values.some((value) => value.mhz);
  const taken = values.some((value) => value.away);
  return {data: {values}, vconcat: [...(clocks ? [line("mhz", "clock, MHz")] : []), ...(taken ? [line("away", "others had it, %")] : [])]};
}

function launchTable(row) {
  return plainTable("Launches", ["side", "launch", "units/s", "against before", "clock, MHz", "others had it, %", ""],
    sides(row).map((launch) => [launch.side, String(launch.launch), engineering(launch.speed), changeText(1 + launch.change),
      launch.mhz ? String(launch.mhz) : "", String(launch.away), launch.displaced ? "displaced: no evidence" : ""]));
}

const figuresAbove = "Its figures stand under Launches.";

function launchParts(row) {
  const count = (row.now?.ppm?.length || 0) + (row.base?.ppm?.length || 0);
  if (count === 0) return [part("Launches", null, "Nothing was measured of this row, or the results hold no launches.")];
  const parts = [];
  const both = row.base?.ppm && row.now?.ppm;
  parts.push(part("Launches", plot(!both ? "Each point is a launch of this build."
    : row.paired ? "Each point is a launch; the two of a pair, which ran side by side, are joined."
      : "Each point is a launch; those before are stored ones, of an earlier session.",
  () => launchesSpec(row), () => launchTable(row))));
  parts.push(part("Distribution", plot("A stroke a launch; the box holds the middle half.", () => distributionSpec(row)), figuresAbove));
  const disturbed = sides(row).some((launch) => launch.mhz || launch.away);
  const quiet = row.now?.quiet ? "Others took nothing from any launch; no clock was recorded." : "No launch recorded a clock or a neighbour.";
  parts.push(part("Clock and disturbance", disturbed && plot("The clock during each launch, and for how much of its time others had what it ran on.",
    () => conditionsSpec(row)), disturbed ? figuresAbove : quiet));
  return parts;
}

function listingOf(row) {
  if (!row.listing) return null;
  const kind = (line) => line.startsWith("+") ? "added" : line.startsWith("-") ? "gone" : line.startsWith("@") ? "place" : "";
  return element("pre", {class: "listing", tabindex: "0", "aria-label": "Difference of the disassembly"},
    row.listing.map((line) => element("span", {class: kind(line)}, line + "\n")));
}

function reasonPart(row) {
  const reasons = row.reasons && element("ul", {}, row.reasons.map((line) => element("li", {}, line)));
  const changed = row.verdict === "slower" || row.verdict === "faster";
  const listing = listingOf(row) || (changed ? element("p", {class: "none"}, "The difference of the disassembly was not at hand.") : "");
  const why = row.identical_work ? "It executes what the other side executes: instruction for instruction."
    : changed ? "Both builds were not at hand, so what differs in them is not known." : "The reason is looked for in rows that got slower or faster.";
  return part("Reason", reasons && element("div", {class: "beside"}, reasons, listing), why);
}

function historyPart(row, history) {
  const series = history.rows?.[row.name];
  if (!series || series.points.length < 2)
    return part("History", null, history.missing || (series ? "One run so far: nothing to compare over time." : "The history has no run of this row on this machine."));
  const values = series.points.map(([run, speed], i) => ({i: i + 1, speed, time: history.runs[run][0], revision: history.runs[run][1]}));
  const changes = (series.changes || []).map(([at, before, after]) => ({...values[at], before, after}));
  const text = changes.length === 0 ? `${values.length} runs, no change of level.`
    : `${values.length} runs; the level changed at ${changes.map((c) => `${c.revision} (${changeText(c.after / c.before)})`).join(", ")}.`;
  return part("History", plot(text, () => historySpec(values, changes), () => historyTable(values, changes)));
}

function historySpec(values, changes) {
  const c = colours();
  const x = placeAxis("i", "run, in order of time", values.length);
  const marks = {data: {values: changes}, mark: {type: "rule", color: c.bad, strokeDash: [5, 4], strokeWidth: 2}, encoding: {x}};
  return {width: "container", height: 200, layer: [...(changes.length > 0 ? [marks] : []),
    {data: {values}, mark: {type: "line", color: c.now, point: {color: c.now, size: 40}}, encoding: {x,
      y: {field: "speed", type: "quantitative", title: "units/s", axis: {format: "~s"}, scale: {zero: false}},
      tooltip: [{field: "time"}, {field: "revision"}, {field: "speed", format: ".5s", title: "units/s"}]}}]};
}

function historyTable(values, changes) {
  const at = new Set(changes.map((change) => change.i));
  return plainTable("History", ["time", "revision", "units/s", ""], values.map((value) =>
    [value.time, value.revision, engineering(value.speed), at.has(value.i) ? "change of level" : ""]));
}

/** The rows of the family that ran, and this one among them. */
function ladderPart(row, rows) {
  const steps = rows.filter((each) => each.family === row.family && each.now).sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, 60);
  if (steps.length < 2 || !row.now) return part("Place in its family", null, "No other row of its family was measured in this run.");
  const best = Math.max(...steps.map((step) => step.now.median));
  const values = steps.map((step) => ({name: step.name, speed: step.now.median, here: step.name === row.name}));
  const text = `${engineering(row.now.median)} units/s, ${percentText(row.now.median / best)} of the fastest of ${steps.length} rows.` +
    (row.limit_percent ? ` It reaches ${row.limit_percent} % of this machine's measured ceiling.` : " Its share of a measured ceiling is not known: no `--limits`.");
  return part("Place in its family", plot(text, () => ladderSpec(values), () => plainTable("Family", ["row", "units/s", "of the limit"],
    steps.map((step) => [step.name, engineering(step.now.median), step.limit_percent ? step.limit_percent + " %" : ""]))));
}

function ladderSpec(values) {
  const c = colours();
  const foot = Math.min(...values.map((value) => value.speed)) / 2;
  return {width: "container", height: 22 * values.length, data: {values}, mark: {type: "bar"}, encoding: {
    y: {field: "name", type: "nominal", sort: null, title: null, axis: {labelLimit: Math.min(320, window.innerWidth / 3)}},
    x: {field: "speed", type: "quantitative", stack: null, title: "units/s, logarithmic", scale: {type: "log", nice: false, domainMin: foot}, axis: {format: "~s", labelOverlap: true, labelSeparation: 8}},
    x2: {datum: foot}, color: {field: "here", type: "nominal", legend: null, scale: {domain: [true, false], range: [c.now, c.faint]}}}};
}

function commandsPart(row, commands) {
  const order = ["repeat", "explain", "profile", "accept"];
  const known = order.filter((purpose) => commands?.[purpose]);
  if (known.length === 0) return part("Commands", null, "These results do not say how they were made.");
  const list = element("dl", {class: "commands"}, known.flatMap((purpose) => [element("dt", {}, purpose),
    element("dd", {}, element("code", {}, commands[purpose].replaceAll("{row}", shellQuoted(row.name))))]));
  return part("Commands", element("div", {}, list, commands.accept ? null
    : element("p", {class: "none"}, "To accept: pairs are no baseline; measure with `ratchet gate` first.")));
}

function rowFigures(row) {
  const figures = [["throughput", row.ratio && changeText(row.ratio)], ["interval", intervalText(row)],
    ["tolerance", percentText(row.tolerance)], ["would be detected", percentText(row.detectable)],
    ["launches", row.now?.ppm && `${row.base?.ppm?.length || 0} + ${row.now.ppm.length}`],
    ["units/s", row.now?.median && engineering(row.now.median)], ["a call", row.call_ms && millisecondsText(row.call_ms)]];
  return element("dl", {class: "facts"}, figures.filter(([, text]) => text).map(([name, text]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, text))));
}

function rowPage(section, row) {
  return element("article", {class: "row-page"},
    element("p", {}, element("a", {href: "#"}, "← All rows")),
    element("h2", {}, badge(row), " ", element("span", {dir: "auto", class: "long"}, row.name)),
    rowNotes(row) && element("p", {dir: "auto"}, rowNotes(row)),
    row.settles && element("p", {}, `What would settle it: ${row.settles}.`),
    rowFigures(row), reasonPart(row), element("div", {class: "parts"}, launchParts(row), historyPart(row, section.history || {}),
      ladderPart(row, section.rows), commandsPart(row, section.commands)));
}
