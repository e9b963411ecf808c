// Elements without markup: names and reasons are data, never HTML.

/**
 * An element with attributes and children (elements or texts; null and "" are left out).
 * "class" and the like are attributes; a function is an event listener.
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function')
      made.addEventListener(name, value);
    else if (value !== undefined && value !== null)
      made.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === '') continue;
    made.append(child);
  }
  return made;
}

/** How a row's verdict is shown (README.md, "The data in the page"). */
function verdictOf(row) {
  return data.verdicts[row.verdict];
}

function badge(row) {
  const {shape, colour} = verdictOf(row);
  return element(
      'span', {class: `badge is-${colour}`},
      element('span', {class: 'shape', 'aria-hidden': 'true'}, shape), row.verdict);
}

/** A table of texts; cells may be elements. `caption` is for screen readers. */
function plainTable(caption, head, rows) {
  return element(
      'div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
      element(
          'table', {class: 'plain'}, element('caption', {class: 'unseen'}, caption),
          element(
              'thead', {},
              element('tr', {}, head.map((text) => element('th', {scope: 'col'}, text)))),
          element(
              'tbody', {},
              rows.map(
                  (cells) => element('tr', {}, cells.map((cell) => element('td', {}, cell)))))));
}

/** A folded part, filled when it is first opened. */
function folded(title, fill, attributes) {
  const body = element('div', {class: 'fold'});
  const made = element('details', attributes, element('summary', {}, title), body);
  made.addEventListener('toggle', () => {
    if (made.open && !body.hasChildNodes()) body.append(...[fill()].flat());
  });
  return made;
}

/** A heading with what it is about, or with the one line that says why there is nothing. */
function part(title, content, ifNone) {
  const shown = content || element('p', {class: 'none'}, ifNone);
  return element('section', {class: 'part'}, element('h3', {}, title), shown);
}
