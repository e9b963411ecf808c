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

function shownNotes(row) {
  return element('span', {}, withOptions(rowNotes(row)));
}

function causes(row) {
  const lines = causeLines(row);
  if (lines.length === 0) return null;
  return element('ul', {class: 'causes'}, lines.map((line) => element('li', {}, line)));
}

/** The text of a row without a change: the figures of identical work differ by the machine. */
function noChange(row) {
  return row.ratio === undefined ? (row.identical_work ? '–' : ' ') : '';
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
          rowNotes(row) && element('div', {class: 'note', dir: 'auto'}, shownNotes(row)),
          causes(row)),
      element(
          'td', {role: 'cell', class: 'change'},
          element('strong', {}, noChange(row) || changeText(row.ratio)),
          element('div', {class: 'note'}, intervalText(row)),
          element('div', {class: 'note'}, ratesText(row)),
          element('div', {class: 'note'}, timesText(row) && `${timesText(row)} per call`)),
      cell, element('td', {role: 'cell', class: 'more'}, percentText(row.tolerance)),
      element('td', {role: 'cell', class: 'more'}, percentText(row.detectable)),
      element('td', {role: 'cell', class: 'more'}, row.clock));
  return {row, line, cell};
}

/** By what rows are sorted; what has no key is the order in which they came, worst first. */
const sortKeys = {
  row: (row) => row.name,
  'throughput change': (row) => row.ratio,
  tolerance: (row) => row.tolerance,
  'detectable effect': (row) => row.detectable,
  clock: (row) => row.clock
};

function orderText(choice) {
  if (!sortKeys[choice.by]) return choice.direction > 0 ? 'worst first' : 'worst last';
  return `by ${choice.by}, ${choice.direction > 0 ? 'upwards' : 'downwards'}`;
}

function inOrder(rows, choice) {
  const key = sortKeys[choice.by];
  if (key) return sortedBy(rows, key, choice.direction);
  return choice.direction > 0 ? rows : [...rows].reverse();
}

function rowTable(rows, caption, choice) {
  const lines = rows.map(rowLine);
  const head = (text, kind) => sortHead(
      text, choice.by === text ? choice.direction : 0, () => choice.sort(text),
      {role: 'columnheader', class: kind});
  const table = element(
      'table', {role: 'table', class: 'rows'}, element('caption', {class: 'unseen'}, caption),
      element(
          'thead', {role: 'rowgroup'},
          element(
              'tr', {role: 'row'}, head('verdict'), head('row', 'name'), head('throughput change'),
              element('th', {role: 'columnheader', scope: 'col', class: 'forest'}),
              head('tolerance', 'more'), head('detectable effect', 'more'), head('clock', 'more'))),
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
function shortened(rows, caption, choice) {
  if (rows.length <= firstRows || choice.all) return rowTable(rows, caption, choice);
  const place = element('div', {}, rowTable(rows.slice(0, firstRows), caption, choice));
  const showAll = () => {
    choice.all = true;
    place.replaceChildren(rowTable(rows, caption, choice));
    place.querySelectorAll('tr.row .name a')[firstRows].focus();
  };
  const more = element(
      'button', {type: 'button', click: showAll}, `Show the other ${rows.length - firstRows} rows`);
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

const nameColumn = {
  title: 'row',
  key: (row) => row.name,
  show: (row) => element('a', {href: rowHref(row), dir: 'auto'}, row.name)
};

function undecidedTable(rows) {
  return sortableTable(
      'Undecided rows',
      [
        nameColumn, {
          title: 'throughput change',
          key: (row) => row.ratio,
          show: (row) => row.ratio ? changeText(row.ratio) : ''
        },
        {title: 'interval of the change', show: intervalText}, {
          title: 'tolerance',
          key: (row) => row.tolerance,
          show: (row) => percentText(row.tolerance)
        },
        {
          title: 'detectable effect',
          key: (row) => row.detectable,
          show: (row) => percentText(row.detectable)
        },
        {title: 'before → after', show: ratesText}, {title: 'clock', show: (row) => row.clock},
        ...(rows.some((row) => row.settles) ?
                [{title: 'what would settle it', show: (row) => row.settles}] :
                []),
        {title: 'reason', key: rowNotes, show: shownNotes}
      ],
      rows);
}

function figuresTable(caption, rows) {
  return sortableTable(
      caption,
      [
        nameColumn, {
          title: 'throughput',
          key: (row) => row.now?.median,
          show: (row) => row.now ? throughputText(row.now.median, row, 3) : ''
        },
        {
          title: 'time per call',
          key: (row) => row.call_ms,
          show: (row) => row.call_ms ? millisecondsText(row.call_ms) : ''
        },
        {
          title: 'throughput change',
          key: (row) => row.ratio,
          show: (row) => row.ratio ? changeText(row.ratio) : noChange(row)
        },
        {title: 'clock', key: (row) => row.clock, show: (row) => row.clock},
        {title: 'remarks', key: rowNotes, show: shownNotes}
      ],
      rows);
}

function forestLegend() {
  return element(
      'p', {class: 'legend'},
      'Grey band: the tolerance. Line: the confidence interval; slower and faster rest on simultaneous intervals, which all hold in 99 % of runs.');
}

/** What a reader chose to see of a run; it stays while single rows are looked at. */
const choices = new Map();

function choiceOf(section) {
  if (!choices.has(section))
    choices.set(section, {words: '', by: 'verdict', direction: 1, all: false});
  return choices.get(section);
}

/** Everything below the verdict. */
function rowGroups(section) {
  const choice = choiceOf(section);
  const place = element('div', {});
  const rows = () => section.rows.filter(
      (row) => holds(`${row.name} ${row.verdict} ${rowNotes(row)}`, choice.words));
  const paint = () => place.replaceChildren(...groupParts(section, rows(), choice));
  const said = () =>
      `${rows().length} of ${countText(section.rows.length, 'row')}, ${orderText(choice)}.`;
  const field = filterField('Rows with', choice.words, (words) => {
    choice.words = words.trim();
    paint();
    return said();
  });
  choice.sort = (by) => {
    choice.direction = choice.by === by ? -choice.direction : 1;
    choice.by = by;
    paint();
    place.querySelector(`[data-sort="${by}"]`).focus();
    field.say(said());
  };
  paint();
  return [section.rows.length > mostUnfolded ? field.place : null, place];
}

function groupParts(section, rows, choice) {
  const groups = groupsOf(rows);
  const parts = [];
  const fold = (rows, title, fill, open) => {
    if (rows.length > 0)
      parts.push(folded(`${countText(rows.length, 'row')} ${title}`, fill, open ? {open: ''} : {}));
  };
  if (groups.shown.length > 0)
    parts.push(
        forestLegend(),
        shortened(
            inOrder(groups.shown, choice), `Rows that were judged, ${orderText(choice)}`, choice));
  const alone = (of) => choice.words ? of.length <= firstRows :
                                       groups.shown.length === 0 && of.length <= mostUnfolded;
  fold(
      groups.undecided,
      `undecided: what would settle ${groups.undecided.length === 1 ? 'it' : 'them'}`,
      () => undecidedTable(groups.undecided),
      section.verdict.state === 'undecided' || (choice.words && alone(groups.undecided)));
  fold(
      groups.uncompared, 'not compared: the noise of this build against itself',
      () => figuresTable('Rows that were not compared', groups.uncompared),
      alone(groups.uncompared));
  fold(
      groups.identical, 'the same: they execute the same code as before',
      () => figuresTable('Rows of identical work', groups.identical), alone(groups.identical));
  fold(
      groups.unavailable, 'that cannot run here', () => unavailableList(groups.unavailable),
      choice.words && alone(groups.unavailable));
  return parts;
}
