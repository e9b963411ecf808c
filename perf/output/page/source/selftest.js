// How often the gate was wrong on a machine.

/** "1.3 % (4 of 300; 0.4 … 3.3 %)": a share with its exact 95 % interval. */
function rateText([hits, of, low, high]) {
  if (of === 0) return '–';
  return `${Number(((100 * hits) / of).toFixed(1))} % (${hits} of ${of}; ${
      (100 * low).toFixed(1)} … ${(100 * high).toFixed(1)} %)`;
}

function detectionSpec(detections) {
  const values = detections.map((each) => ({
                                  slowdown: Number((100 * each.slowdown).toPrecision(4)),
                                  load: each.load,
                                  share: each.slower[0] / each.slower[1],
                                  low: each.slower[2],
                                  high: each.slower[3]
                                }));
  const c = colours();
  const loads = [...new Set(values.map((value) => value.load))].sort();  // those that were run
  const x = {
    field: 'slowdown',
    type: 'ordinal',
    title: 'injected slowdown, %',
    axis: {labelAngle: 0},
    scale: {paddingInner: 0.6}
  };
  const y = (field) => ({
    field,
    type: 'quantitative',
    title: 'called slower',
    scale: {domain: [0, 1]},
    axis: {format: '~%'}
  });
  const color = {
    field: 'load',
    type: 'nominal',
    scale: {domain: loads, range: loads.map((load) => load === 'alone' ? c.now : c.base)}
  };
  const xOffset = {field: 'load', type: 'nominal'};
  return {
    width: 'container',
    height: 220,
    data: {values},
    layer: [
      {
        mark: {type: 'rule', strokeWidth: 2},
        encoding: {x, xOffset, y: y('low'), y2: {field: 'high'}, color}
      },
      {
        mark: {type: 'point', filled: true, size: 60, opacity: 1},
        encoding: {x, xOffset, y: y('share'), color}
      }
    ]
  };
}

function detectionTable(detections) {
  return plainTable(
      'Injected slowdowns',
      ['slowed by', 'measured', 'load', 'rows called slower', 'rows called same'],
      detections.map(
          (each) =>
              [percentText(each.slowdown), percentText(each.measured), each.load,
               rateText(each.slower), rateText(each.same)]));
}

function selftestSection(section) {
  return element(
      'article', {}, verdictBanner(section.verdict), factList(section.facts),
      part(
          'Same against same',
          section.alarms.length > 0 &&
              plainTable(
                  'False alarms',
                  ['load', 'runs called slower', 'runs called faster', 'runs undecided'],
                  section.alarms.map(
                      (each) =>
                          [each.load, rateText(each.slower), rateText(each.faster),
                           rateText(each.undecided)])),
          'No run of this kind.'),
      part(
          'Injected slowdowns',
          section.detections.length > 0 &&
              plot(
                  'The share of rows that were called slower, with its 95 % interval.',
                  () => detectionSpec(section.detections),
                  () => detectionTable(section.detections)),
          'No run of this kind.'),
      part(
          'Minimum detectable slowdown',
          section.detectable.length > 0 && [
            filteredTable(
                'Rows', 'Smallest slowdown',
                [
                  {title: 'row', key: ([row]) => row, show: ([row]) => row}, {
                    title: 'smallest slowdown detected nine times in ten',
                    key: ([, effect]) => effect,
                    show: ([, effect]) => percentText(effect)
                  }
                ],
                section.detectable),
            section.unknown && element('p', {}, section.unknown)
          ],
          section.unknown || 'No run of this kind.'));
}
