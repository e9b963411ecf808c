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

/** A text as pieces for element(), in which no option of a command is broken after its dashes. */
function withOptions(text) {
  return text.split(/((?<![^ '"`(])--[a-z][a-z-]*(?: [a-z]+(?![^ ,;.)'"`]))?)/)
      .map((part, i) => i % 2 ? element('span', {class: 'option'}, part) : part);
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

/**
 * A box that scrolls a wide table sideways, with a line above it where columns are out of sight.
 */
function scrollBox(label) {
  const hint = element(
      'p', {class: 'note hint', 'aria-hidden': 'true', hidden: ''},
      'Scroll sideways for more columns →');
  const box = element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label});
  const watch = new ResizeObserver(() => hint.hidden = box.scrollWidth <= box.clientWidth + 1);
  watch.observe(box);
  return {
    place: element('div', {}, hint, box),
    box,
    fill: (table) => {
      box.replaceChildren(table);
      watch.observe(table);
    }
  };
}

/** A table of texts; cells may be elements. `caption` is for screen readers. */
function plainTable(caption, head, rows) {
  const scroll = scrollBox(caption);
  scroll.fill(element(
      'table', {class: 'plain'}, element('caption', {class: 'unseen'}, caption),
      element(
          'thead', {}, element('tr', {}, head.map((text) => element('th', {scope: 'col'}, text)))),
      element(
          'tbody', {},
          rows.map((cells) => element('tr', {}, cells.map((cell) => element('td', {}, cell)))))));
  return scroll.place;
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

/**
 * A heading with what it is about, or with the one line that says why there is nothing; `level` 3
 * within another part.
 */
function part(title, content, ifNone, level = 2) {
  const shown = content || element('p', {class: 'none'}, ifNone);
  return element('section', {class: 'part'}, element(`h${level}`, {class: 'title'}, title), shown);
}

/**
 * A column header that sorts: a button, so that the keyboard reaches it. `direction`: 1 where the
 * table is sorted by it upwards, -1 downwards, else 0.
 */
function sortHead(text, direction, sort, attributes) {
  const mark = direction === 0 ? '' : direction > 0 ? ' ↑' : ' ↓';
  return element(
      'th', {
        scope: 'col',
        'aria-sort': direction === 0 ? null :
            direction > 0            ? 'ascending' :
                                       'descending',
        ...attributes
      },
      element(
          'button', {type: 'button', class: 'sort', click: sort, 'data-sort': text}, text,
          element('span', {'aria-hidden': 'true'}, mark)));
}

/** Rows in the order of what `key` makes of them; those without a key stand last. */
function sortedBy(rows, key, direction) {
  const keyed = rows.map((row, i) => ({row, i, key: key(row)}));
  const absent = (value) => value === undefined || value === null || value === '';
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ?
      a - b :
      String(a).localeCompare(String(b), 'en', {numeric: true});
  keyed.sort(
      (a, b) => absent(a.key) - absent(b.key) ||
          (absent(a.key) ? 0 : direction * compare(a.key, b.key)) || a.i - b.i);
  return keyed.map((each) => each.row);
}

/**
 * A table that its column headers sort. `columns`: {title, show(row), key(row)} each, without a key
 * not sorted by; rows stand as they are given until a header is pressed. Its `show` takes other
 * rows.
 */
function sortableTable(caption, columns, rows) {
  const scroll = scrollBox(caption);
  let order = {by: null, direction: 1};
  const paint = () => {
    const head = columns.map((column) => {
      if (!column.key) return element('th', {scope: 'col'}, column.title);
      const towards = order.by === column ? order.direction : 0;
      return sortHead(column.title, towards, () => {
        order = {by: column, direction: towards > 0 ? -1 : 1};
        paint();
        const pressed = scroll.box.querySelectorAll('thead th')[columns.indexOf(column)];
        pressed.querySelector('button').focus();
      });
    });
    const sorted = order.by ? sortedBy(rows, order.by.key, order.direction) : rows;
    scroll.fill(element(
        'table', {class: 'plain'}, element('caption', {class: 'unseen'}, caption),
        element('thead', {}, element('tr', {}, head)),
        element(
            'tbody', {},
            sorted.map(
                (row) => element(
                    'tr', {}, columns.map((column) => element('td', {}, column.show(row))))))));
  };
  paint();
  scroll.place.show = (others) => {
    rows = others;
    paint();
  };
  return scroll.place;
}

const mostUnfiltered = 12;  // rows that fit a screen need no filter

/**
 * The same with a field above it that leaves the rows with all of its words in some column. `noun`:
 * what a row is; a column's `words` are what it is found by, else its key.
 */
function filteredTable(noun, caption, columns, rows) {
  const table = sortableTable(caption, columns, rows);
  if (rows.length <= mostUnfiltered) return table;
  const texts = rows.map(
      (row) =>
          columns.map((column) => (column.words || column.key || String)(row) ?? '').join(' '));
  const field = filterField(`${noun} with`, '', (words) => {
    const found = rows.filter((_, i) => holds(texts[i], words.trim()));
    table.show(found);
    return `${found.length} of ${rows.length}.`;
  });
  return element('div', {}, field.place, table);
}

/**
 * A field that narrows down what stands below it, with what came of it for who hears the page. "/"
 * leads to it, Escape empties it. `changed` gets the words and returns that sentence.
 */
function filterField(label, words, changed) {
  const status = element('span', {class: 'note', role: 'status'});
  const input = element('input', {
    type: 'search',
    class: 'filter',
    value: words,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-keyshortcuts': '/',
    input: () => status.textContent = changed(input.value)
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || input.value === '') return;
    event.preventDefault();
    input.value = '';
    status.textContent = changed('');
  });
  return {
    place: element(
        'p', {class: 'filter-line'},
        element('label', {}, label, ' ', element('kbd', {'aria-hidden': 'true'}, '/'), ' ', input),
        ' ', status),
    say: (sentence) => status.textContent = sentence
  };
}

document.addEventListener('keydown', (event) => {
  const field = document.querySelector('input.filter');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || !field) return;
  if (event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  field.focus();
  field.select();
});

/** Whether a text holds all of these words, in whatever case. */
function holds(text, words) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}
