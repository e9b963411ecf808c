// Series of throughput over commits: of a whole history, and of one row of a run. The first page of
// a site.

/** A commit as readers know it: the first ten digits, and that files were changed after it. */
function shortRevision(revision) {
  if (!revision) return 'commit not known';
  const [, digits, rest] = /^([0-9a-f]{10})[0-9a-f]*(.*)$/.exec(revision) || ['', revision, ''];
  return digits + rest;
}

/** Its text as a link to its page, where that is known. */
function commitLink(revision, url) {
  const text = element('code', {}, shortRevision(revision));
  return /^https?:\/\//.test(url || '') ? element('a', {href: url}, text) : text;
}

/**
 * The runs of a series as objects: when, of which commit, how fast, the change point that begins
 * there, and the ratio to its base where the gate called the row slower or faster.
 */
function seriesValues(runs, series) {
  const values = series.points.map(([run, speed, verdict, ratio, accepted], i) => {
    const [time, revision, mode, commit] = runs[run];
    return {
      i: i + 1,
      speed,
      time: time.replace('T', ' ').replace('Z', ' UTC'),
      revision,
      short: revision ? shortRevision(revision) : time,
      mode,
      verdict: verdict || 'same',
      ratio,
      accepted,
      change: null,
      ...commit
    };
  });
  for (const [at, before, after, machine] of series.changes || [])
    values[at].change = {before, after, machine, ratio: after / before};
  return values;
}

/** "−7.4 %"; empty without a change point. */
function changePointText({change}) {
  if (!change) return '';
  return changeText(change.ratio) + (change.machine ? ' of the machine, not of the code' : '');
}

/** What a gate compared with: a commit, or what is known of it. */
function baseText({against, mode}) {
  if (against) return shortRevision(against);
  const words = {stored: 'stored figures', accepted: '', fleet: 'the base of its nodes'};
  return words[mode] ?? 'a build whose commit is not known';
}

/** A verdict is of a pair of builds: "slower −7.4 % (gate against 0123456789)". */
function gateText(value) {
  if (value.ratio === undefined) return value.verdict;
  const accepted = value.accepted ? `; ${value.accepted}` : '';
  return `${value.verdict} ${changeText(value.ratio)} (gate against ${baseText(value)})${accepted}`;
}

/** The last change point of a series: "−7.4 % at 0123456789". */
function lastChangeText(runs, series) {
  const value = seriesValues(runs, series).filter(({change}) => change).at(-1);
  return value ? `${changePointText(value)} at ${value.short}` : '';
}

function historyTable(values, caption, row) {
  return plainTable(
      caption,
      [
        'time of the run', 'commit', 'subject', 'branch', perSecond(row), 'verdict of the gate',
        'change point'
      ],
      values.map(
          (value) =>
              [value.time, commitLink(value.revision, value.url), value.subject || '',
               value.branch || '', engineering(shownFigure(value.speed, row)), gateText(value),
               changePointText(value)]));
}

function historyCaption(values) {
  const found = values.filter(({change}) => change);
  const list =
      found.slice(-4).map((value) => `${changePointText(value)} at ${value.short}`).join('; ');
  const more = found.length > 4 ? ', the last four' : '';
  const gates = ['slower', 'faster'].map((verdict) => {
    const called = values.filter((value) => value.verdict === verdict);
    const accepted = called.filter((value) => value.accepted).length;
    return called.length > 0 ? `${countText(called.length, 'gate')} called it ${verdict}` +
            (accepted > 0 ? `, ${accepted} accepted by a commit` : '') :
                              '';
  });
  return [
    countText(values.length, 'run'),
    countText(found.length, 'change point') + (list ? `${more}: ${list}` : ''), ...gates
  ].filter((text) => text).join('; ') + '.';
}

/** The chart of a series, its caption, and its figures by commit. */
function historyPlot(runs, series, caption, row = {}) {
  const values = seriesValues(runs, series);
  return plot(
      historyCaption(values), () => historySpec(values, row),
      () => historyTable(values, caption, row));
}

/** At most as many commits as fit are named under the axis, the last one always. */
function commitAxis(values, room) {
  const every = Math.ceil(values.length / Math.max(2, Math.floor(room / 110)));
  const named = values.filter((value) => (values.length - value.i) % every === 0);
  const labels = Object.fromEntries(named.map((value) => [value.i, value.short]));
  return {
    field: 'i',
    type: 'quantitative',
    title: 'commit, by its date',
    axis: {
      values: named.map((value) => value.i),
      labelExpr: `${JSON.stringify(labels)}[datum.value]`,
      labelOverlap: true,
      grid: false
    },
    scale: {nice: false, zero: false, padding: 12}
  };
}

/** How a run is drawn: by its change point, else by the verdict of its gate. */
function kindOf({change, verdict, accepted}) {
  if (change) return change.ratio < 1 ? 'loss' : 'gain';
  if (accepted) return 'none';
  return {slower: 'loss', faster: 'gain'}[verdict] || 'none';
}

function historySpec(values, row) {
  const c = colours();
  const x = commitAxis(values, Math.min(window.innerWidth, 1400) / 2);
  const kinds = ['none', 'loss', 'gain'];
  const shown = values.map((value) => ({
                             ...value,
                             speed: shownFigure(value.speed, row),
                             kind: kindOf(value),
                             commit: `${value.short} ${value.subject || ''}`.trim(),
                             verdict: gateText(value),
                             point: changePointText(value)
                           }));
  const changes = shown.filter(({change}) => change);
  const colour = (range) => ({field: 'kind', legend: null, scale: {domain: kinds, range}});
  const y = {
    field: 'speed',
    type: 'quantitative',
    title: perSecond(row),
    axis: {format: '~s'},
    scale: {zero: false}
  };
  const tooltip = [
    {field: 'commit', title: 'commit'}, {field: 'author'}, {field: 'branch'},
    {field: 'time', title: 'run'}, {field: 'speed', format: '.5s', title: perSecond(row)},
    {field: 'verdict', title: 'gate'}, {field: 'point', title: 'change point'}
  ];
  return {
    width: 'container',
    height: 220,
    data: {values: shown},
    layer: [
      ...(changes.length > 0 ? [{
        data: {values: changes},
        mark: {type: 'rule', strokeDash: [5, 4], strokeWidth: 2},
        encoding: {x, color: colour([c.ink, c.bad, c.good])}
      }] :
                               []),
      {mark: {type: 'line', color: c.now}, encoding: {x, y}}, {
        mark: {type: 'point', filled: true, opacity: 1},
        encoding: {
          x,
          y,
          color: colour([c.now, c.bad, c.good]),
          shape: {
            field: 'kind',
            legend: null,
            scale: {domain: kinds, range: ['circle', 'triangle-down', 'triangle-up']}
          },
          size: {condition: {test: 'datum.kind !== \'none\'', value: 110}, value: 36},
          tooltip
        }
      }
    ]
  };
}

/** A series in the height of a line of text; its figures stand beside it. */
function sparkline(series) {
  const [width, height] = [140, 22];
  const most = 2 * Math.max(...series.points.map(([, speed]) => (speed < 1e90 ? speed : 0)));
  const speeds = series.points.map(([, speed]) => Math.min(speed, most || 1));  // of 0
  // At least 4 % high, so that noise does not look like a change.
  const middle = (Math.min(...speeds) + Math.max(...speeds)) / 2;
  const low = Math.min(...speeds, 0.98 * middle);
  const high = Math.max(...speeds, 1.02 * middle);
  const x = (i) => 3 + (i * (width - 6)) / Math.max(1, speeds.length - 1);
  const y = (speed) => 3 + ((high - speed) * (height - 6)) / (high - low);
  const made = (tag, attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const svg = made(
      'svg',
      {class: 'spark', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true'});
  svg.append(made(
      'polyline',
      {points: speeds.map((speed, i) => `${x(i).toFixed(1)},${y(speed).toFixed(1)}`).join(' ')}));
  for (const [at, before, after] of series.changes || [])
    svg.append(made('circle', {
      cx: x(at).toFixed(1),
      cy: y(speeds[at]).toFixed(1),
      r: 3,
      class: after < before ? 'loss' : 'gain'
    }));
  return svg;
}

/** The name of a series in an address; without its clock that of the first by any clock. */
function seriesKey(series, clock = series.clock) {
  return `${series.name} on ${series.machine} ${series.fingerprint || ''} ${clock || ''}`.trim();
}

function findSeries(key) {
  for (const section of data.sections) {
    const series = (section.series || []).find((each) => [seriesKey(each), seriesKey(each, '')].includes(key));
    if (series) return {section, series};
  }
  return null;
}

function seriesColumns(section) {
  const change = (series) => lastChangeText(section.runs, series);
  const last = (series) => series.points.at(-1)[1];
  const several = (title, key) =>
      new Set(section.series.map(key)).size > 1 ? [{title, key, show: key}] : [];
  return [
    {
      title: 'row',
      key: (series) => series.name,
      show: (series) => element(
          'a', {href: `#series=${encodeURIComponent(seriesKey(series))}`, dir: 'auto'}, series.name)
    },
    ...several('machine', (series) => series.machine),
    ...several('clock', (series) => series.clock_text),
    {title: 'over commits', show: sparkline, words: () => ''},
    {
      title: 'throughput of the last run',
      key: last,
      words: () => '',
      show: (series) => throughputText(last(series), series)
    },
    {
      title: 'last change point',
      key: (series) => ((point) => point && point[2] / point[1])((series.changes || []).at(-1)),
      words: change,
      show: (series) => element('span', {class: series.lost ? 'lost' : null}, change(series))
    },
    {
      title: 'runs',
      key: (series) => series.points.length,
      words: () => '',
      show: (series) => String(series.points.length)
    },
    {title: 'verdict of the last gate', key: (series) => series.verdict, show: (series) => series.verdict}
  ];
}

function runsTable(section) {
  const runs = section.runs.map(
      ([time, revision, mode, commit]) => ({time, revision, mode, commit: commit || {}}));
  runs.sort((a, b) => (a.time < b.time ? 1 : -1));
  const text = (title, key) => ({title, key, show: (run) => key(run) || ''});
  return sortableTable(
      'Runs',
      [
        text('time', (run) => run.time.replace('T', ' ').replace('Z', ' UTC')), {
          title: 'commit',
          key: (run) => run.revision,
          show: (run) => commitLink(run.revision, run.commit.url)
        },
        text('subject', (run) => run.commit.subject), text('author', (run) => run.commit.author),
        text('branch', (run) => run.commit.branch),
        text('compared with', (run) => baseText({...run.commit, mode: run.mode}))
      ],
      runs);
}

function historySection(section) {
  return element(
      'article', {}, verdictBanner(section.verdict), factList(section.facts),
      part(
          'Series',
          section.series.length > 0 &&
              filteredTable('Series', 'Series', seriesColumns(section), section.series),
          'None.'),
      folded(countText(section.runs.length, 'run'), () => runsTable(section)),
      section.left_out > 0 ?
          element(
              'p', {class: 'none'},
              `${
                  countText(
                      section.left_out,
                      'series')} left out: too many for one page; \`ratchet history\` shows them.`) :
          null);
}

/** The page of one series of a history. */
function seriesPage(section, series) {
  const values = seriesValues(section.runs, series);
  const changes = values.filter(({change}) => change);
  const gates = values.filter(({ratio}) => ratio !== undefined);
  return element(
      'article', {class: 'series-page'},
      element('p', {}, element('a', {href: '#'}, '← All series')),
      element('h1', {class: 'long', dir: 'auto'}, series.name), factList([
        ['machine', series.machine], ...(series.clock_text ? [['clock', series.clock_text]] : []),
        ['runs', String(values.length)],
        ['verdict of the last gate', series.verdict],
        ['throughput of the last run', throughputText(series.points.at(-1)[1], series)]
      ]),
      part('Throughput over commits', historyPlot(section.runs, series, 'Runs of the series', series)),
      part(
          'Change points',
          changes.length > 0 &&
              plainTable(
                  'Change points',
                  ['commit', 'change', 'median before', 'and after', 'time of the run', 'subject'],
                  changes.map(
                      (value) =>
                          [commitLink(value.revision, value.url), changePointText(value),
                           ...['before', 'after'].map(
                               (side) => engineering(shownFigure(value.change[side], series))),
                           value.time, value.subject || ''])),
          'None.'),
      part(
          'Gates that found a difference',
          gates.length > 0 &&
              plainTable(
                  'Gates that found a difference',
                  ['commit', 'against', 'verdict', 'change', 'time of the run', 'subject'],
                  gates.map(
                      (value) =>
                          [commitLink(value.revision, value.url), baseText(value),
                           value.accepted ? `${value.verdict}; ${value.accepted}` : value.verdict,
                           changeText(value.ratio), value.time, value.subject || ''])),
          'No gate called it slower or faster.'));
}

const stateWords = {
  pass: ['✔', 'good', 'pass'],
  regression: ['▼', 'bad', 'slower'],
  failed: ['✕', 'bad', 'failed'],
  undecided: ['?', 'open', 'undecided'],
  nothing: ['○', 'none', 'not compared']
};

function stateBadge(state) {
  const [shape, colour, word] = stateWords[state] || stateWords.failed;
  return element(
      'span', {class: `badge is-${colour}`},
      element('span', {class: 'shape', 'aria-hidden': 'true'}, shape), word);
}

/** "2 slower, 5 same", the worst first. */
function verdictCounts(counts) {
  return Object.keys(data.verdicts)
      .filter((verdict) => counts[verdict])
      .sort((a, b) => data.verdicts[a].order - data.verdicts[b].order)
      .map((verdict) => `${counts[verdict]} ${verdict}`)
      .join(', ');
}

function siteRuns(pages) {
  const text = (title, key) =>
      ({title, key, show: (page) => element('span', {dir: 'auto'}, key(page) || '')});
  return filteredTable(
      'Runs', 'Runs, the newest first',
      [
        {
          title: 'run',
          key: (page) => page.time,
          words: (page) => page.title,
          show: (page) => element('a', {href: page.href, dir: 'auto'}, page.title)
        },
        {
          title: 'verdict',
          key: (page) => page.verdict.state,
          words: (page) => `${stateWords[page.verdict.state]?.[2]} ${page.verdict.sentence}`,
          show: (page) =>
              [stateBadge(page.verdict.state),
               element('div', {class: 'note', dir: 'auto'}, page.verdict.sentence)]
        },
        text('branch', (page) => page.commit?.branch), {
          title: 'commit',
          key: (page) => page.commit?.commit || page.revision,
          show: (page) => page.revision ? commitLink(page.revision, page.commit?.url) : ''
        },
        text('subject', (page) => page.commit?.subject),
        text('author', (page) => page.commit?.author),
        text('rows', (page) => verdictCounts(page.counts || {}))
      ],
      pages);
}

/** The first page of a site. */
function indexSection(section) {
  const runs = section.pages.filter((page) => page.kind === 'run');
  const others = section.pages.filter((page) => page.kind !== 'run');
  return element(
      'article', {}, element('h1', {dir: 'auto'}, section.title),
      runs.length > 0 ? part('Runs', siteRuns(runs)) : null,
      others.length > 0 ?
          part(
              'Other pages',
              element(
                  'ul', {class: 'index'},
                  others.map(
                      (page) => element(
                          'li', {}, element('a', {href: page.href}, page.title),
                          page.verdict ?
                              element(
                                  'p', {class: 'sentence'}, stateBadge(page.verdict.state), ' ',
                                  page.verdict.sentence) :
                              null)))) :
          null);
}
