// A family's page: ladders and tables, which the program makes as Markdown for the terminal and the
// README. Only what these hold is understood: headings, tables, lists, paragraphs, `code`,
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

function markdownTable(lines) {
  const [head, , ...rows] = lines.map(cellsOf);
  return plainTable(
      head.join(', '), head.map((cell) => element('span', {}, inlineNodes(cell))),
      rows.map((row) => row.map((cell) => element('span', {}, inlineNodes(cell)))));
}

/** What kind of block a line belongs to. */
function blockKind(line) {
  if (line.startsWith('|')) return 'table';
  if (line.startsWith('#')) return 'heading';
  if (line.startsWith('- ')) return 'list';
  return line.trim() === '' ? 'gap' : 'text';
}

function markdownBlocks(text) {
  const blocks = [];
  for (const line of text.split('\n')) {
    const kind = blockKind(line);
    if (kind !== 'heading' && blocks.at(-1)?.kind === kind)
      blocks.at(-1).lines.push(line);
    else
      blocks.push({kind, lines: [line]});
  }
  return blocks.filter((block) => block.kind !== 'gap').map(({kind, lines}) => {
    if (kind === 'table') return markdownTable(lines);
    if (kind === 'list')
      return element('ul', {}, lines.map((line) => element('li', {}, inlineNodes(line.slice(2)))));
    if (kind === 'text') return element('p', {}, inlineNodes(lines.join(' ')));
    return element(
        lines[0].startsWith('###') ? 'h3' : 'h2', {}, inlineNodes(lines[0].replace(/^#+\s*/, '')));
  });
}

/** The cells of a ladder's table that are a speed-up: "13.18x". */
function ladderSteps(table) {
  return table.trim()
      .split('\n')
      .slice(2)
      .map(cellsOf)
      .map(([stage, speed, times]) => ({
             stage: stage.replaceAll('`', '').replaceAll('**', ''),
             speed,
             times: parseFloat(times)
           }))
      .filter((step) => step.times > 0);
}

function ladderPlot(ladder) {
  const steps = ladderSteps(ladder.table);
  const table = () => markdownTable(ladder.table.trim().split('\n'));
  if (steps.length < 2) return table();
  const foot = Math.min(1, ...steps.map((step) => step.times)) / 1.5;
  return plot(
      `How many times the throughput of ${steps[0].stage} each stage has on ${ladder.machine}.`,
      () => ({
        width: 'container',
        height: 24 * steps.length,
        data: {values: steps},
        encoding: {
          y: {
            field: 'stage',
            type: 'nominal',
            sort: null,
            title: null,
            axis: {labelLimit: Math.min(360, window.innerWidth / 2.5)}
          }
        },
        layer: [
          {
            mark: {type: 'bar', color: colours().now},
            encoding: {
              x: {
                field: 'times',
                type: 'quantitative',
                stack: null,
                title: 'times the first, logarithmic',
                scale: {type: 'log', nice: false, domainMin: foot, padding: 40},
                axis: {format: '~s', labelOverlap: true, labelSeparation: 8}
              },
              x2: {datum: foot}
            }
          },
          {
            mark: {type: 'text', align: 'left', dx: 5},
            encoding: {x: {field: 'times', type: 'quantitative'}, text: {field: 'speed'}}
          }
        ]
      }),
      table);
}

function tablesSection(section) {
  return element(
      'article', {}, element('h1', {}, section.title), factList(section.facts),
      section.ladders.map((ladder) => part(`On ${ladder.machine}`, ladderPlot(ladder))),
      section.plots.map(
          (each) => part(
              each.title, plot(each.title, () => each.spec, null),
              'This ratchet was built without Vega-Lite.')),
      markdownBlocks(section.tables));
}
