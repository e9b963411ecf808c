// The page of one row: its measurements, the reason of a change, its place in the family, commands.

function launchTable(row) {
  return plainTable(
      'Launches',
      ['side', 'launch', perSecond(row), 'against the median before', 'clock, MHz', 'used by others, %', ''],
      sides(row).map(
          (launch) =>
              [launch.side, String(launch.launch), engineering(launch.speed),
               changeText(1 + launch.change), launch.mhz ? String(launch.mhz) : '',
               String(launch.away), launch.contended ? 'contended: not counted' : '']));
}

const figuresAbove = 'The table under Launches has the figures.';

/** The nodes of a fleet's row, in place of launches. */
function nodesPart(row) {
  return part(
      'Nodes',
      plainTable(
          'Nodes', ['node', 'throughput'],
          row.nodes.map(([node, ratio]) => [node, changeText(ratio)])));
}

function distributionText(row) {
  const [before, now] =
      [row.base, row.now].map((side) => side?.ppm && throughputText(side.median, row));
  if (!before || !now) return `Each dot is a launch, a stroke marks the median: ${now || before}.`;
  const medians = `Each dot is a launch, a stroke marks the median: ${before} before, ${
      now} of this build.`;
  // The change is the median over pairs, so this build's median without it is another figure.
  return !row.ratio || !row.before || throughputText(row.before, row) === before ?
      medians :
      `${medians} "Before" above is the median of this build without the change, ${
          throughputText(row.before, row)}.`;
}

function launchParts(row) {
  if (row.nodes) return [nodesPart(row)];
  const count = (row.now?.ppm?.length || 0) + (row.base?.ppm?.length || 0);
  if (count === 0)
    return [part('Launches', null, 'This row was not measured, or the results hold no launches.')];
  const parts = [];
  const both = row.base?.ppm && row.now?.ppm;
  parts.push(part(
      'Launches',
      plot(
          !both ? 'Each point is a launch of this build.' :
              row.paired ?
                  'Each point is a launch; a line joins the two interleaved launches of a pair.' :
                  'Each point is a launch; those before are stored launches of earlier days.',
          () => launchesSpec(row), () => launchTable(row))));
  parts.push(part(
      'Distribution', plot(distributionText(row), () => distributionSpec(row)),
      distributionText(row)));
  const disturbed = sides(row).some((launch) => launch.mhz || launch.away);
  const conditions = conditionPlots(row);
  const quiet = row.now?.quiet ?
      'No other process disturbed a launch that is shown; no clock frequency was recorded.' :
      'No clock frequency was recorded, nor, launch by launch, how much of their CPU others used.';
  parts.push(part(
      'Clock and disturbance', conditions.length > 0 && element('div', {}, conditions),
      disturbed ? figuresAbove : quiet));
  return parts;
}

function listingOf(row) {
  if (!row.listing) return null;
  const kind = (line) => line.startsWith('+') ? 'added' :
      line.startsWith('-')                    ? 'gone' :
      line.startsWith('@')                    ? 'place' :
                                                '';
  return element(
      'pre', {class: 'listing', tabindex: '0', 'aria-label': 'Difference of the disassembly'},
      row.listing.map((line) => element('span', {class: kind(line)}, line + '\n')));
}

function functionsPart(row) {
  const profile = findProfile(row.name);
  return profile ? part('Functions that take longer', profilePart(profile)) : null;
}

function reasonPart(row, commands) {
  const reasons =
      row.reasons && element('ul', {}, row.reasons.map((line) => element('li', {}, line)));
  const changed = verdictOf(row).change !== 0;
  const listing = listingOf(row) ||
      (changed ?
           element('p', {class: 'none'}, 'The difference of the disassembly is not available.') :
           '');
  const why = row.identical_work ?
      'It executes the same code as before, instruction for instruction.' :
      changed && findProfile(row.name) ?
      'The functions that take longer are recorded, and stand below.' :
      changed && commands?.explain ?
      'Not searched for: the command explain, below, records the functions of both builds.' :
      changed ? 'Not known: only builds of ratchet_add_bench programs tell what differs.' :
                'Only rows that got slower or faster are searched for a reason.';
  return part('Reason', reasons && element('div', {class: 'side-by-side'}, reasons, listing), why);
}

function historyPart(row, history) {
  const series = history.rows?.[row.name];
  if (!series || series.points.length < 2)
    return part(
        'History', null,
        history.missing ||
            (series ? 'One run so far: nothing to compare over time.' :
                 !row.now ?
                      'This run has no figure of the row; `ratchet history` has earlier ones.' :
                      'The history holds no run of this row on this machine.'));
  return part('History', historyPlot(history.runs, series, 'History', row));
}

/**
 * Units per second that the measured peak of the row's limiting resource allows; null if unknown.
 */
function roofOf(row) {
  return row.limit_percent ? 100 * row.now.median / row.limit_percent : null;
}

/** The measured rows of the family and of its unit, with this one marked. */
function ladderPart(row, rows) {
  const comparable = (each) => each.family === row.family && each.unit === row.unit;
  if (row.third_party) return null;  // its benchmarks compute different things: no ladder
  const steps = rows.filter((each) => comparable(each) && each.now)
                    .sort((a, b) => (a.name < b.name ? -1 : 1))
                    .slice(0, 60);
  if (steps.length < 2 || !row.now)
    return part(
        'Place in its family', null,
        row.now ? 'No other row of its family was measured in this run.' :
                  'This run has no figure of the row.');
  const best = Math.max(...steps.map((step) => step.now.median));
  const values = steps.map((step) => ({
                             name: step.name,
                             speed: step.now.median,
                             here: step.name === row.name,
                             roof: roofOf(step)
                           }));
  const text = `${throughputText(row.now.median, row)}, ${
                   percentText(row.now.median / best)} of the fastest of ${steps.length} rows.` +
      (row.limit_percent ?
           ` It reaches ${row.limit_percent} % of its roof, ${
               throughputText(
                   roofOf(row), row)}: what this machine's measured peaks allow (strokes).` :
           ' Its share of a machine peak is not known; run the gate with `--peaks`.');
  return part(
      'Place in its family',
      plot(
          text, () => ladderSpec(values, row),
          () => plainTable(
              'Family', ['row', perSecond(row), 'roof', 'of the roof'],
              steps.map(
                  (step) =>
                      [step.name, engineering(step.now.median),
                       step.limit_percent ? engineering(roofOf(step)) : '',
                       step.limit_percent ? step.limit_percent + ' %' : '']))));
}

function commandsPart(row, commands) {
  const order = ['repeat', 'explain', 'profile', 'accept'];
  if (row.verdict === 'slower') order.splice(1, 0, 'bisect');
  // This build cannot measure a row that it lacks; `accept` removes it.
  const known = order.filter(
      (purpose) => commands?.[purpose] && (row.verdict !== 'missing' || purpose === 'accept') &&
          // Its few launches replace no baseline.
          (purpose !== 'accept' || !row.identical_work));
  if (known.length === 0)
    return part(
        'Commands', null,
        row.verdict === 'missing' ? 'This build cannot measure the row.' :
                                    'These results do not state the commands that made them.');
  const list = element(
      'dl', {class: 'commands'},
      known.flatMap(
          (purpose) =>
              [element('dt', {}, purpose),
               element(
                   'dd', {},
                   element(
                       'code', {},
                       commands[purpose].replaceAll('{row}', shellQuoted(row.name))))]));
  return part(
      'Commands',
      element(
          'div', {}, list,
          commands.accept && !row.identical_work ?
              null :
              element(
                  'p', {class: 'none'},
                  commands.accept ?
                      'It keeps its baseline. To renew that, measure with --by-time.' :
                      'To accept a baseline, measure with ratchet gate, without --base.')));
}

function rowFigures(row) {
  const figures = [
    ['throughput change', row.ratio ? changeText(row.ratio) : noChange(row).trim()],
    ['interval of the change', intervalText(row)], ['before → after', ratesText(row)],
    ['time per call', timesText(row)], ['clock', row.clock],
    ['tolerance', percentText(row.tolerance)],
    ['minimum detectable effect', percentText(row.detectable)],
    ['launches', row.now?.ppm && `${row.base?.ppm?.length || 0} + ${row.now.ppm.length}`]
  ];
  return element(
      'dl', {class: 'facts'},
      figures.filter(([, text]) => text)
          .map(([name,
                 text]) => element('div', {}, element('dt', {}, name), element('dd', {}, text))));
}

function rowPage(section, row) {
  return element(
      'article', {class: 'row-page'}, element('p', {}, element('a', {href: '#'}, '← All rows')),
      element('h1', {}, badge(row), ' ', element('span', {dir: 'auto', class: 'long'}, row.name)),
      rowNotes(row) && element('p', {dir: 'auto'}, shownNotes(row)),
      row.settles && element('p', {}, `What would settle it: ${row.settles}.`), rowFigures(row),
      reasonPart(row, section.commands), functionsPart(row),
      element(
          'div', {class: 'parts'}, launchParts(row), historyPart(row, section.history || {}),
          ladderPart(row, section.rows), commandsPart(row, section.commands)));
}
