// The plots of one row: its launches, their distribution and conditions, its history, its family.

/** The launches of a side as objects, relative to `reference`, a median. */
function launchesOf(row, side, reference) {
  const series = row[side];
  if (!series || !series.ppm) return [];
  return series.ppm.map((ppm, i) => ({
                          side: side === 'now' ? 'this build' : 'before',
                          launch: i + 1,
                          speed: shownFigure(series.median * (1 + ppm / 1e6), row),
                          change: Math.min((series.median * (1 + ppm / 1e6)) / reference - 1, 10),
                          mhz: series.mhz?.[i],
                          away: series.away?.[i] ?? 0,
                          contended: (series.contended || []).includes(i),
                        }));
}

function sides(row) {
  const reference = row.base?.median || row.now?.median || 1;
  return [...launchesOf(row, 'base', reference), ...launchesOf(row, 'now', reference)];
}

const sideColour = () => ({
  field: 'side',
  type: 'nominal',
  scale: {domain: ['before', 'this build'], range: [colours().base, colours().now]},
  legend: {orient: 'top', title: null}
});
const sideShape = {
  field: 'side',
  type: 'nominal',
  scale: {domain: ['before', 'this build'], range: ['circle', 'diamond']},
  legend: {orient: 'top', title: null}
};
const percentAxis = {
  labelExpr:
      '(datum.value > 0 ? \'+\' : datum.value < 0 ? \'\u2212\' : \'\') + format(abs(datum.value) * 100, \'.4~r\') + \' %\''
};
const changeOf = (title) => ({
  field: 'change',
  type: 'quantitative',
  title,
  axis: percentAxis,
  scale: {zero: false, nice: true}
});
/** An axis of positions in time, with ticks at whole numbers only. */
function placeAxis(field, title, most) {
  const axis = most <= 12 ? {format: 'd', values: Array.from({length: most}, (_, i) => i + 1)} :
                            {format: 'd', tickMinStep: 1};
  return {field, type: 'quantitative', title, axis, scale: {nice: false, zero: false, padding: 12}};
}

function launchAxisOf(row) {
  return placeAxis(
      'launch', 'launch, in order of time',
      Math.max(row.now?.ppm?.length || 0, row.base?.ppm?.length || 0));
}

function launchesSpec(row) {
  const values = sides(row);
  const launchAxis = launchAxisOf(row);
  const points = {
    mark: {type: 'point', filled: true, size: 60, opacity: 0.9},
    encoding: {
      x: launchAxis,
      y: changeOf('throughput against the median before'),
      color: sideColour(),
      shape: sideShape,
      tooltip: [
        {field: 'side'}, {field: 'launch'}, {field: 'speed', format: '.5s', title: perSecond(row)}
      ]
    }
  };
  const joined = {
    transform: [{pivot: 'side', value: 'change', groupby: ['launch']}],
    mark: {type: 'rule', color: colours().faint},
    encoding:
        {x: launchAxis, y: {field: 'before', type: 'quantitative'}, y2: {field: 'this build'}}
  };
  return {
    width: 'container',
    height: 240,
    data: {values},
    layer: row.paired ? [joined, points] : [points]
  };
}

function distributionSpec(row) {
  const x = changeOf('throughput against the median before');
  const y = {field: 'side', type: 'nominal', title: null};
  const color = {...sideColour(), legend: null};
  return {
    width: 'container',
    height: 130,
    data: {values: strips(row)},
    layer: [
      {
        mark: {type: 'point', filled: true, size: 36, opacity: 0.6},
        encoding: {
          x,
          y,
          yOffset: {field: 'lane', type: 'quantitative', scale: {domain: [-4, 4]}},
          color,
          shape: {...sideShape, legend: null},
          tooltip: [
            {field: 'side'}, {field: 'launch'},
            {field: 'speed', format: '.5s', title: perSecond(row)}
          ]
        }
      },
      {
        mark: {type: 'tick', thickness: 3, size: 44},
        encoding: {x: {...x, aggregate: 'median'}, y, color: {value: colours().ink}}
      }
    ]
  };
}

/** Launches in lanes, so that dots of one speed lie beside each other: the same ones every time. */
function strips(row) {
  return sides(row).map((launch, i) => ({...launch, lane: ((i * 5) % 7) - 3}));
}

/** A plot for each recorded condition of the launches. */
function conditionPlots(row) {
  const values = sides(row);
  const spec = (field, title) => ({
    width: 'container',
    height: 110,
    data: {values},
    mark: {type: 'line', point: true, strokeWidth: 1},
    encoding: {
      x: launchAxisOf(row),
      y: {field, type: 'quantitative', title, scale: {zero: field === 'away'}},
      color: sideColour()
    }
  });
  const each = (field, title, caption) =>
      values.some((value) => value[field]) ? [plot(caption, () => spec(field, title), null)] : [];
  return [
    ...each('mhz', 'clock, MHz', 'The clock during each launch.'),
    ...each(
        'away', 'used by others, %',
        'The share of each launch in which others used its CPU or GPU.')
  ].filter(Boolean);
}

/** A bar for each row, and a stroke at its roof if the peak was measured. */
function ladderSpec(values, row) {
  const c = colours();
  const foot = Math.min(...values.map((value) => value.speed)) / 2;
  const x = (field) => ({
    field,
    type: 'quantitative',
    stack: null,
    title: `${perSecond(row)}, logarithmic`,
    scale: {type: 'log', nice: false, domainMin: foot},
    axis: {format: '~s', labelOverlap: true, labelSeparation: 8}
  });
  const roofs = {
    transform: [{filter: 'datum.roof'}],
    mark: {type: 'tick', thickness: 3, size: 18, color: c.ink},
    encoding: {x: x('roof')}
  };
  return {
    width: 'container',
    height: 22 * values.length,
    data: {values},
    encoding: {
      y: {
        field: 'name',
        type: 'nominal',
        sort: null,
        title: null,
        axis: {labelLimit: Math.min(320, window.innerWidth / 3)}
      }
    },
    layer: [
      {
        mark: {type: 'bar'},
        encoding: {
          x: x('speed'),
          x2: {datum: foot},
          color: {
            field: 'here',
            type: 'nominal',
            legend: null,
            scale: {domain: [true, false], range: [c.now, c.faint]}
          }
        }
      },
      ...(values.some((value) => value.roof) ? [roofs] : [])
    ]
  };
}
