// Figures as text. All texts come from files, so they enter the page only as textContent (dom.js).

/** 0.951 as "−4.9 %"; small changes with two decimals. */
function changeText(ratio) {
  if (ratio > 1e80) return '+∞ %';  // from or to 0, below
  const percent = (ratio - 1) * 100;
  if (Math.abs(percent) >= 1e5) return percent.toExponential(1) + ' %';
  const digits = Math.abs(percent) < 1 ? 2 : Math.abs(percent) < 100 ? 1 : 0;
  const size = Math.abs(percent).toFixed(digits);
  return (Number(size) === 0 ? '±' : percent < 0 ? '\u2212' : '+') + size + ' %';
}

/** The interval of a row: "−5.4 % … −4.5 %", or "". */
function intervalText(row) {
  return row.low === undefined ? '' : `${changeText(row.low)} … ${changeText(row.high)}`;
}

/** A share as percent: 0.013 as "1.3 %". */
function percentText(share) {
  return share === undefined ? '' : Number((share * 100).toPrecision(2)) + ' %';
}

/**
 * Units per second, say, with the powers of 1000 that engineers use: "23.49 G". Four significant
 * digits without trailing zeros, or all of so many.
 */
function engineering(value, digits) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let power = 0;
  while (Number(Math.abs(value).toPrecision(digits || 4)) >= 1000 && power + 1 < prefixes.length) {
    value /= 1000;
    power += 1;
  }
  const number = digits ? value.toPrecision(digits) : Number(value.toPrecision(4));
  return `${number}${prefixes[power] ? ' ' + prefixes[power] : ''}`;
}

/** The unit of a figure that a command prints, "ms (smaller is better)", and its direction. */
function figureOf(row) {
  return /^(.*?) ?\((smaller|larger) is better\)$/.exec(row.unit || '');
}

/** A throughput as tables and plots show it: of a command's figure its value. */
function shownFigure(value, row) {
  // The inverse of 0 is stated as 1e100 (perf/gate/baseline/figure.h).
  return figureOf(row)?.[2] !== 'smaller' ? value : value >= 1e90 ? 0 : 1 / value;
}

/** The unit of that, behind a number or a prefix: "B/s", "calls/s", "ms". */
function perSecond(row) {
  const figure = figureOf(row);
  if (figure) return figure[1] || 'value';
  return `${row.unit || 'units'}/s`;
}

/** "113 k calls/s", "1.03 GB/s". */
function throughputText(value, row, digits) {
  const figure = figureOf(row);
  if (figure) {
    return `${Number(shownFigure(value, row).toPrecision(digits || 4))} ${figure[1]}`.trimEnd();
  }
  const number = engineering(value, digits);
  const joined = row.unit === 'B' && /\D$/.test(number);
  return `${number}${joined ? '' : ' '}${perSecond(row)}`;
}

/** Before and after, as far as both are known and the row is no identical work. */
function beforeAfter(row, before, now, text) {
  if (!now) return '';
  return before && !row.identical_work ? `${text(before)} → ${text(now)}` : text(now);
}

function ratesText(row) {
  return beforeAfter(row, row.before, row.now?.median, (value) => throughputText(value, row, 3));
}

function timesText(row) {
  return beforeAfter(row, row.call_before_ms, row.call_ms, millisecondsText);
}

function millisecondsText(ms) {
  if (ms >= 1000) return Number((ms / 1000).toPrecision(4)) + ' s';
  if (ms >= 1) return Number(ms.toPrecision(4)) + ' ms';
  if (ms >= 1e-3) return Number((ms * 1e3).toPrecision(4)) + ' µs';
  return Number((ms * 1e6).toPrecision(4)) + ' ns';
}

function countText(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A word as a shell reads it back. */
function shellQuoted(word) {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`;
}
