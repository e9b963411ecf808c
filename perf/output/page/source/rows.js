// The rows of a run: a table with the forest plot, worst first, for judged rows; folded groups with
// counts for the rest.

const firstRows = 40;     // a button shows the others
const mostUnfolded = 12;  // rows of a group that is unfolded if it is alone: they fit a screen

function rowHref(row) {
  return `#row=${encodeURIComponent(row.name)}`;
}

/** The reasons of a change, in at most three lines. */
function causeLines(row) {
  const reasons = row.reasons || [];
  const lines = reasons.slice(0, 3);
  if (reasons.length > 3) lines.push(`and ${reasons.length - 3} more`);
  return lines;
}

function rowNotes(row) {
  const notes =
      [row.reason, ...(row.remarks || []).filter((remark) => !(row.reason || '').includes(remark))];
  return notes.filter(Boolean).join('; ');
}

function causes(row) {
  const lines = causeLines(row);
  if (lines.length === 0) return null;
  return element('ul', {class: 'causes'}, lines.map((line) => element('li', {}, line)));
}

/** A line of the table, and the cell that the plot covers. */
function rowLine(row) {
  const cell = element('td', {class: 'forest', role: 'cell'});
  const open = (event) => {
    if (!event.target.closest('a') && !String(getSelection())) location.hash = rowHref(row);
  };
  const line = element(
      'tr', {role: 'row', click: open, class: 'row'},
      element('td', {role: 'cell', class: 'verdict'}, badge(row)),
      element(
          'th', {role: 'rowheader', scope: 'row', class: 'name'},
          element('a', {href: rowHref(row), dir: 'auto'}, row.name),
          rowNotes(row) && element('div', {class: 'note', dir: 'auto'}, rowNotes(row)),
          causes(row)),
      element(
          'td', {role: 'cell', class: 'change'},
          element('strong', {}, row.ratio === undefined ? '' : changeText(row.ratio)),
          element('div', {class: 'note'}, intervalText(row))),
      cell, element('td', {role: 'cell', class: 'more'}, percentText(row.tolerance)),
      element('td', {role: 'cell', class: 'more'}, percentText(row.detectable)));
  return {row, line, cell};
}

function rowTable(rows, caption) {
  const lines = rows.map(rowLine);
  const head = (text, kind) =>
      element('th', {role: 'columnheader', scope: 'col', class: kind}, text);
  const table = element(
      'table', {role: 'table', class: 'rows'}, element('caption', {class: 'unseen'}, caption),
      element(
          'thead', {role: 'rowgroup'},
          element(
              'tr', {role: 'row'}, head('verdict'), head('row', 'name'), head('throughput'),
              head('', 'forest'), head('tolerance', 'more'), head('detects', 'more'))),
      element('tbody', {role: 'rowgroup'}, lines.map((each) => each.line)));
  const place = element('div', {class: 'forest-place'}, table);
  const plotted = lines.filter(
      (each) =>
          each.row.ratio > 0 && each.row.tolerance > 0 && verdictOf(each.row).colour !== 'none');
  if (data.plots && plotted.length > 0)
    whenPlots(() => overlayForest(table, plotted));
  else
    table.classList.add('without-forest');
  return place;
}

/** The first rows, and a button that shows the others. */
function shortened(rows, caption) {
  if (rows.length <= firstRows) return rowTable(rows, caption);
  const place = element('div', {}, rowTable(rows.slice(0, firstRows), caption));
  const more = element(
      'button', {type: 'button', click: () => place.replaceChildren(rowTable(rows, caption))},
      `Show the other ${rows.length - firstRows} rows`);
  place.append(more);
  return place;
}

/** Rows in groups: the shown ones and the folded ones. */
function groupsOf(rows) {
  const groups = {shown: [], undecided: [], uncompared: [], identical: [], unavailable: []};
  for (const row of rows) {
    if (verdictOf(row).folded)
      groups[row.verdict].push(row);
    else if (row.identical_work && row.verdict === 'same')
      groups.identical.push(row);
    else
      groups.shown.push(row);
  }
  return groups;
}

/** Groups rows by their reason, so that each reason stands once. */
function unavailableList(rows) {
  const by = Map.groupBy ? Map.groupBy(rows, (row) => row.reason || '') : groupBy(rows);
  return element(
      'ul', {},
      [...by].map(
          ([reason, of]) => element(
              'li', {},
              folded(
                  `${countText(of.length, 'row')}: ${reason}`,
                  () => element(
                      'p', {class: 'names', dir: 'auto'}, of.map((row) => row.name).join(', '))))));
}

function groupBy(rows) {
  const groups = new Map();
  for (const row of rows)
    groups.set(row.reason || '', [...(groups.get(row.reason || '') || []), row]);
  return groups;
}

function undecidedTable(rows) {
  return plainTable(
      'Undecided rows',
      ['row', 'throughput', 'interval', 'tolerance', 'what would settle it', 'reason'],
      rows.map(
          (row) =>
              [element('a', {href: rowHref(row), dir: 'auto'}, row.name),
               row.ratio ? changeText(row.ratio) : '', intervalText(row),
               percentText(row.tolerance), row.settles, rowNotes(row)]));
}

function figuresTable(caption, rows) {
  return plainTable(
      caption,
      ['row', 'throughput, units/s', 'time per call', 'throughput against baseline', 'remarks'],
      rows.map(
          (row) =>
              [element('a', {href: rowHref(row), dir: 'auto'}, row.name),
               row.now ? engineering(row.now.median) : '',
               row.call_ms ? millisecondsText(row.call_ms) : '',
               row.ratio ? changeText(row.ratio) : '', rowNotes(row)]));
}

function forestLegend() {
  return element(
      'p', {class: 'legend'},
      'Grey band: the tolerance. Line: the confidence interval; slower and faster rest on simultaneous intervals, which all hold in 99 % of runs.');
}

/** Everything below the verdict. */
function rowGroups(section) {
  const groups = groupsOf(section.rows);
  const parts = [];
  const fold = (rows, title, fill, open) => {
    if (rows.length > 0)
      parts.push(folded(`${countText(rows.length, 'row')} ${title}`, fill, open ? {open: ''} : {}));
  };
  if (groups.shown.length > 0)
    parts.push(forestLegend(), shortened(groups.shown, 'Rows that were judged, worst first'));
  const alone = (rows) => groups.shown.length === 0 && rows.length <= mostUnfolded;
  fold(
      groups.undecided,
      `undecided: what would settle ${groups.undecided.length === 1 ? 'it' : 'them'}`,
      () => undecidedTable(groups.undecided), section.verdict.state === 'undecided');
  fold(
      groups.uncompared, 'not compared: the noise of this build against itself',
      () => figuresTable('Rows that were not compared', groups.uncompared),
      alone(groups.uncompared));
  fold(
      groups.identical, 'the same: they execute the same code as the baseline',
      () => figuresTable('Rows of identical work', groups.identical), alone(groups.identical));
  fold(groups.unavailable, 'that cannot run here', () => unavailableList(groups.unavailable));
  return parts;
}
