// Plots by Vega-Lite, drawn when their part is opened. Vega interprets its expressions (ast), so
// that the page's security policy can forbid eval.

const waiting = [];
let ready = false;

/** Runs `act` once Vega is loaded, which follows this script in the page. */
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

/** The page's colours by name, as style sheet variables, which follow the scheme and print. */
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

/** Shows a mark's tooltip as text. */
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

/** Draws a specification into an element and replaces the previous drawing. */
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
  if (label) {  // Vega has replaced it by "Vega visualization"
    place.setAttribute('aria-label', label);
    place.setAttribute('role', 'img');
    place.removeAttribute('aria-roledescription');
  }
  place.view = embedded.view;
  // The caption describes the plot; its marks would only burden a screen reader.
  for (const svg of place.querySelectorAll('svg')) svg.setAttribute('aria-hidden', 'true');
}

/**
 * A plot with a caption and its figures as a folded table; without Vega-Lite, the table alone.
 * `table`: a function that makes it, or none if another plot has the same figures.
 */
function plot(caption, make, table) {
  if (!data.plots) return table ? element('div', {}, element('p', {}, caption), table()) : null;
  const place = element('div', {class: 'plot', role: 'img', 'aria-label': caption});
  whenPlots(() => requestIdleCallback(() => place.isConnected && draw(place, make())));
  return element(
      'figure', {}, place, element('figcaption', {}, caption),
      table ? folded('Figures', table) : null);
}
