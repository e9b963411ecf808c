// The address selects the shown part: #row=NAME a row, #section=N a section, # the first.

const data = JSON.parse(document.getElementById('data').textContent);
const renderers = {
  run: runSection,
  bisect: bisectSection,
  profile: profileSection,
  selftest: selftestSection,
  history: historySection,
  index: indexSection
};

function address() {
  const text = location.hash.slice(1);
  const at = text.indexOf('=');
  if (at < 0) return {};
  try {
    return {[text.slice(0, at)]: decodeURIComponent(text.slice(at + 1))};
  } catch {
    return {};  // a malformed link
  }
}

function findRow(name) {
  for (const section of data.sections) {
    const row = (section.rows || []).find((each) => each.name === name);
    if (row) return {section, row};
  }
  return null;
}

function sectionTitle(section) {
  return section.verdict ? `${section.title}: ${section.verdict.sentence}` : section.title;
}

function overview() {
  return element(
      'nav', {'aria-label': 'Parts of this report'},
      element(
          'ul', {class: 'overview'},
          data.sections.map(
              (section, i) => element(
                  'li', {},
                  element('a', {href: `#section=${i}`, dir: 'auto'}, sectionTitle(section))))));
}

function show() {
  const wanted = address();
  const found = wanted.row !== undefined && findRow(wanted.row);
  const line = wanted.series !== undefined && findSeries(wanted.series);
  const section = data.sections[Number(wanted.section ?? 0)] || data.sections[0];
  const main = document.getElementById('main');
  const several = data.sections.length > 1 && !found && !line ? [overview()] : [];
  if (found)
    main.replaceChildren(rowPage(found.section, found.row));
  else if (line)
    main.replaceChildren(seriesPage(line.section, line.series));
  else
    main.replaceChildren(...several, renderers[section.kind](section));
  if (wanted.row !== undefined && !found)
    main.prepend(element(
        'p', {class: 'none', role: 'status'}, `There is no row ${wanted.row} in this report.`));
  if (wanted.series !== undefined && !line)
    main.prepend(element(
        'p', {class: 'none', role: 'status'},
        `There is no series ${wanted.series} in this report.`));
  const shown = found || line;
  const name = shown ? (shown.row || shown.series).name : sectionTitle(section);
  const project = (shown ? shown.section : section).project || 'ratchet';
  document.title = name === project ? name : `${name} – ${project}`;
}

function showLinks() {
  if (data.links.length === 0) return;
  document.getElementById('pages').append(element(
      'nav', {'aria-label': 'Pages'},
      element(
          'ul', {},
          data.links.map(
              (link) => element(
                  'li', {},
                  element(
                      'a', {
                        href: link.href,
                        'aria-current': location.pathname.endsWith('/' + link.href) ? 'page' : null
                      },
                      link.title))))));
}

// The address names what is shown, so that the link moves the focus and leaves the address.
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.getElementById('main').focus();
});
showLinks();
show();
if (!data.plots)
  document.getElementById('foot').append(element(
      'p', {class: 'none'},
      'This ratchet was built without Vega-Lite, so the report has tables instead of plots.'));
window.addEventListener('hashchange', () => {
  show();
  window.scrollTo(0, 0);
  document.getElementById('main').focus({preventScroll: true});
});
window.addEventListener('load', plotsAreReady);
