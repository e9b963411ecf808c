// Plots, by Vega-Lite; drawn when what they are in is opened. Vega's expressions are interpreted
// (ast), so that the page needs no right to make code of text.

const waiting = [];
let ready = false;

/** Plots are drawn once the library is there, which lies behind this script in the page. */
function whenPlots(act) {
  if (ready)
    requestAnimationFrame(act);
  else
    waiting.push(act);
}

function plotsAreReady() {
  ready = true;
  for (const act of waiting.splice(0)) act();
}

/**
 * The page's colours by name, as its style sheet has them at the moment: of the scheme, and on
 * paper.
 */
const colours = () => Object.fromEntries([
  'ink', 'faint', 'line', 'paper', 'band', 'now', 'base', 'bad', 'good', 'open'
].map((name) => [name, `var(--${name})`]));

function theme() {
  const c = colours();
  const axis = {
    labelColor: c.ink,
    titleColor: c.ink,
    gridColor: c.line,
    domainColor: c.faint,
    tickColor: c.faint,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal'
  };
  return {
    background: null,
    font: 'system-ui, sans-serif',
    axis,
    view: {stroke: null},
    legend: {labelColor: c.ink, titleColor: c.ink, labelFontSize: 12, orient: 'top', title: null},
    title: {color: c.ink},
    rule: {color: c.ink},
    text: {color: c.ink, fontSize: 12}
  };
}

/** What a mark says under the pointer, as text. */
function tip(_handler, event, _item, value) {
  let box = document.getElementById('tip');
  if (!box) {
    box = element('div', {id: 'tip', 'aria-hidden': 'true'});
    document.body.append(box);
  }
  box.hidden = value === null || value === undefined || value === '';
  if (box.hidden) return;
  const lines =
      typeof value === 'object' ? Object.entries(value).map(([k, v]) => `${k}: ${v}`) : [value];
  box.textContent = lines.join('\n');
  box.style.left = `${Math.min(event.clientX + 12, window.innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${event.clientY + 14}px`;
}

/** Draws a specification into an element, in the place of what was drawn there before. */
async function draw(place, spec) {
  const before = place.view;
  const label = place.getAttribute('aria-label');
  const embedded = await window.vegaEmbed(place, {config: theme(), ...spec}, {
    ast: true,
    actions: false,
    renderer: 'svg',
    defaultStyle: false,
    tooltip: tip,
    loader: {},
  });
  before?.finalize();
  if (label) {  // Vega has put "Vega visualization" in its place
    place.setAttribute('aria-label', label);
    place.setAttribute('role', 'img');
    place.removeAttribute('aria-roledescription');
  }
  place.view = embedded.view;
  // The text beside a plot says what it shows; its thousand marks are no help to who listens.
  for (const svg of place.querySelectorAll('svg')) svg.setAttribute('aria-hidden', 'true');
}

/**
 * A plot with the sentence that says what it shows, and its figures as a table behind a fold; the
 * table alone where nothing can be drawn. `table`: a function that makes it, or none where another
 * plot has the same figures.
 */
function plot(caption, make, table) {
  if (!data.plots) return table ? element('div', {}, element('p', {}, caption), table()) : null;
  const place = element('div', {class: 'plot', role: 'img', 'aria-label': caption});
  place.redraw = () => place.isConnected && draw(place, make());
  whenPlots(() => requestIdleCallback(place.redraw));
  return element(
      'figure', {}, place, element('figcaption', {}, caption),
      table ? folded('Figures', table) : null);
}
