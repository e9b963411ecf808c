// A family's page: the ladders and tables that the program writes as Markdown for the terminal and
// the README. The parser knows only their markup: headings, tables, lists, paragraphs, `code`,
// **bold**.

/** A line's text as nodes. */
function inlineNodes(text) {
  return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).filter(Boolean).map((piece) => {
    if (piece.length > 2 && piece.startsWith('`')) return element('code', {}, piece.slice(1, -1));
    if (piece.length > 4 && piece.startsWith('**'))
      return element('strong', {}, piece.slice(2, -2));
    return piece;
  });
}

function cellsOf(line) {
  return line.replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function markdownTable(lines, caption) {
  const [head, , ...rows] = lines.map(cellsOf);
  return plainTable(
      caption, head.map((cell) => element('span', {}, inlineNodes(cell))),
      rows.map((row) => row.map((cell) => element('span', {}, inlineNodes(cell)))));
}

/** What kind of block a line belongs to. */
function blockKind(line) {
  if (line.startsWith('|')) return 'table';
  if (line.startsWith('#')) return 'heading';
  if (line.startsWith('- ')) return 'list';
  return line.trim() === '' ? 'gap' : 'text';
}

/** `under`: the heading that the text stands under, by which its tables are told apart. */
function markdownBlocks(text, under) {
  const blocks = [];
  let tables = 0;
  for (const line of text.split('\n')) {
    const kind = blockKind(line);
    if (kind !== 'heading' && blocks.at(-1)?.kind === kind)
      blocks.at(-1).lines.push(line);
    else
      blocks.push({kind, lines: [line]});
  }
  return blocks.filter((block) => block.kind !== 'gap').map(({kind, lines}) => {
    if (kind === 'table') {
      tables += 1;
      return markdownTable(lines, tables === 1 ? under : `${under}, table ${tables}`);
    }
    if (kind === 'list')
      return element('ul', {}, lines.map((line) => element('li', {}, inlineNodes(line.slice(2)))));
    if (kind === 'text') return element('p', {}, inlineNodes(lines.join(' ')));
    under = lines[0].replace(/^#+\s*/, '').replaceAll('`', '');
    tables = 0;
    return element(
        lines[0].startsWith('###') ? 'h3' : 'h2', {}, inlineNodes(lines[0].replace(/^#+\s*/, '')));
  });
}

/** A picture of the READMEs, in the theme of the scheme that the page is shown in. */
function familyPlot(section, {title, spec}) {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const made =
      plot(title, () => ({...spec, config: section.themes[dark.matches ? 'dark' : 'light']}), null);
  if (!made) return null;
  dark.addEventListener('change', () => made.querySelector('.plot').redraw());
  // As wide as in the READMEs; a phone scrolls it.
  return element(
      'div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title}, made);
}

function tablesSection(section) {
  return element(
      'article', {}, element('h1', {}, section.title), factList(section.facts),
      section.plots.map(
          (each) => part(
              each.title, familyPlot(section, each), 'This ratchet was built without Vega-Lite.')),
      section.ladders.map(
          (ladder) => part(
              `On ${ladder.machine}`,
              markdownBlocks(ladder.table, `${section.title} on ${ladder.machine}`))),
      markdownBlocks(section.tables, section.title));
}
