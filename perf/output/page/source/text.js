// Figures as text. All texts come from files, so they enter the page only as textContent (dom.js).

/** 0.951 as "−4.9 %"; small changes with two decimals. */
function changeText(ratio) {
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

/** Units per second, say, with the powers of 1000 that engineers use: "23.49 G". */
function engineering(value) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let power = 0;
  while (Math.abs(value) >= 1000 && power + 1 < prefixes.length) {
    value /= 1000;
    power += 1;
  }
  return `${Number(value.toPrecision(4))}${prefixes[power] ? ' ' + prefixes[power] : ''}`;
}

function millisecondsText(ms) {
  if (ms >= 1000) return Number((ms / 1000).toPrecision(4)) + ' s';
  return ms >= 1 ? Number(ms.toPrecision(4)) + ' ms' : Number((ms * 1000).toPrecision(4)) + ' µs';
}

function countText(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A word as a shell reads it back. */
function shellQuoted(word) {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`;
}
