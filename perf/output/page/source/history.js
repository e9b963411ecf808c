// All series of a history, the latest changes of level first.

const firstSeries = 60;

function seriesValues(section, series) {
  return series.points.map(
      ([run, speed], i) =>
          ({i: i + 1, speed, time: section.runs[run][0], revision: section.runs[run][1]}));
}

function changeLines(section, series) {
  return (series.changes || []).map(([at, before, after]) => {
    const [time, revision] = section.runs[series.points[at][0]];
    return `${time.slice(0, 10)} ${revision}: ${changeText(after / before)}`;
  });
}

function seriesPlot(section, series) {
  const values = seriesValues(section, series);
  const changes = (series.changes || []).map(([at]) => values[at]);
  return plot(
      `${series.name} on ${series.machine}: ${countText(values.length, 'run')}.`,
      () => historySpec(values, changes),
      () => historyTable(values, changes, `History of ${series.name} on ${series.machine}`));
}

function seriesList(section, list) {
  return list.map(
      (series) => folded(
          element(
              'span', {}, element('strong', {class: 'long', dir: 'auto'}, series.name),
              ` on ${series.machine}: `,
              `${countText(series.points.length, 'run')}, last ${series.verdict}`,
              changeLines(section, series).map((line) => element('div', {class: 'note'}, line))),
          () => seriesPlot(section, series), {class: 'series'}));
}

function historySection(section) {
  const changed = section.series.filter((series) => series.changes);
  const steady = section.series.filter((series) => !series.changes);
  return element(
      'article', {}, verdictBanner(section.verdict), factList(section.facts),
      part(
          'Changes of level',
          changed.length > 0 && element('div', {}, seriesList(section, changed)),
          'None, in any series.'),
      part(
          'Series without one',
          steady.length > 0 &&
              element(
                  'div', {}, seriesList(section, steady.slice(0, firstSeries)),
                  steady.length > firstSeries ?
                      folded(
                          `The other ${steady.length - firstSeries}`,
                          () => seriesList(section, steady.slice(firstSeries))) :
                      null),
          'None.'),
      section.left_out > 0 ?
          element(
              'p', {class: 'none'},
              `${
                  countText(
                      section.left_out,
                      'series')} left out: too many for one page; \`ratchet history\` shows them.`) :
          null);
}

/** The first page of a site. */
function indexSection(section) {
  return element(
      'article', {}, element('h1', {}, 'ratchet'),
      element(
          'ul', {class: 'index'},
          section.pages.map(
              (page) => element(
                  'li', {}, element('a', {href: page.href}, page.title),
                  page.verdict ? verdictBanner(page.verdict) :
                                 element('p', {class: 'note'}, page.summary || '')))));
}
