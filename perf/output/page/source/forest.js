// The forest plot: a line for each row of the table. It is drawn over an empty column, so that a
// line aligns with its row whatever the row's height.

/** The ticks of the axis, as ln(ratio): round changes in percent, as many as fit. */
function percentTicks(low, high, room) {
  const [least, most] = [low, high].map((end) => Math.expm1(end) * 100);
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
  const step = steps.find((size) => (most - least) / size <= room / 70) || 100;
  const ticks = [];
  for (let i = Math.ceil(least / step); i * step <= most; i += 1)
    ticks.push(Math.log1p((i * step) / 100));
  return ticks.filter(Number.isFinite);
}

/**
 * The range of the axis: all intervals and tolerances, limited so that no row squeezes the rest.
 */
function forestDomain(rows) {
  const ends = rows.flatMap(
                       (row) =>
                           [row.low ?? row.ratio, row.high ?? row.ratio, 1 - row.tolerance,
                            1 + row.tolerance])
                   .filter((end) => end > 0)
                   .map(Math.log);
  const most = Math.log(4);
  const low = Math.max(Math.min(...ends, -0.005), -most);
  const high = Math.min(Math.max(...ends, 0.005), most);
  const margin = (high - low) * 0.06;
  return [low - margin, high + margin];
}

function forestValues(lines) {
  return lines.map(({row, y}) => ({
                     y,
                     name: row.name,
                     x: Math.log(row.ratio),
                     low: Math.log(Math.max(row.low ?? row.ratio, 1e-6)),
                     high: Math.log(row.high ?? row.ratio),
                     from: Math.log(1 - row.tolerance),
                     to: Math.log(1 + row.tolerance),
                     top: y - 11,
                     bottom: y + 11,
                     kind: verdictOf(row).change === 0 ? 'now' : verdictOf(row).colour,
                   }));
}

function forestSpec(lines, width, height) {
  const [low, high] = forestDomain(lines.map((line) => line.row));
  const c = colours();
  const x = (field, axis) => ({
    field,
    type: 'quantitative',
    scale: {domain: [low, high], nice: false, zero: false},
    axis,
    title: null
  });
  const y = (field) => ({
    field,
    type: 'quantitative',
    scale: {domain: [0, height], reverse: true, nice: false, zero: false},
    axis: null
  });
  const axis = {
    orient: 'top',
    values: percentTicks(low, high, width),
    grid: width < 0.7 * window.innerWidth,
    labelOverlap: true,
    labelFlush: 30,  // px: a label at an end stays clear of the next column's heading
    labelExpr:
        '(datum.value > 0 ? \'+\' : datum.value < 0 ? \'\u2212\' : \'\') + format(abs(exp(datum.value) - 1) * 100, \'.3~r\') + \' %\''
  };
  const colour = {
    field: 'kind',
    type: 'nominal',
    legend: null,
    scale: {domain: ['bad', 'good', 'now'], range: [c.bad, c.good, c.ink]}
  };
  return {
    width,
    height,
    autosize: 'none',
    padding: {top: 26, left: 0, right: 0, bottom: 0},
    data: {values: forestValues(lines)},
    layer: [
      {
        mark: {type: 'rect', color: c.band, clip: true},
        encoding: {x: x('from', axis), x2: {field: 'to'}, y: y('top'), y2: {field: 'bottom'}}
      },
      {
        mark: {type: 'rule', color: c.faint},
        encoding: {x: {datum: 0, type: 'quantitative'}, y: y('top'), y2: {field: 'bottom'}}
      },
      {
        mark: {type: 'rule', strokeWidth: 2.5, clip: true},
        encoding: {x: x('low', axis), x2: {field: 'high'}, y: y('y'), color: colour}
      },
      {
        mark: {type: 'point', filled: true, size: 70, opacity: 1, clip: true},
        encoding: {
          x: x('x', axis),
          y: y('y'),
          color: colour,
          shape: {
            field: 'kind',
            type: 'nominal',
            legend: null,
            scale:
                {domain: ['bad', 'good', 'now'], range: ['triangle-down', 'triangle-up', 'circle']}
          }
        }
      },
    ],
  };
}

/** Draws the plot over the table's empty column, now and after every change of layout. */
function overlayForest(table, lines) {
  const place = element('div', {class: 'overlay', 'aria-hidden': 'true'});
  table.parentElement.append(place);
  const paint = () => {
    const cells = lines.map((line) => line.cell.getBoundingClientRect());
    if (!place.isConnected || cells.length === 0 || cells[0].width < 40) return;
    const origin = table.parentElement.getBoundingClientRect();
    const body = table.tBodies[0].getBoundingClientRect();
    place.style.left = `${cells[0].left - origin.left}px`;
    place.style.top = `${body.top - origin.top - 26}px`;
    const placed = lines.map(
        (line, i) =>
            ({row: line.row, y: cells[i].top + Math.min(cells[i].height, 36) / 2 - body.top}));
    draw(place, forestSpec(placed, cells[0].width, body.height));
  };
  new ResizeObserver(paint).observe(table);
}
