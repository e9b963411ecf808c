// A search for the commit that made a row slower.

/** The state of a step in the search for one row. */
function stepWord(i, found) {
  const skipped = found.skipped.find(([step]) => step === i);
  if (skipped) return `not judged: ${skipped[1]}`;
  if (i <= found.last_good) return '● not slower';
  return i >= found.first_bad ? '▼ slower' : 'not known';
}

function findingPart(found, steps) {
  const culprits = steps.slice(found.last_good + 1, found.first_bad + 1);
  return element(
      'section', {class: 'part'}, element('h2', {class: 'long', dir: 'auto'}, found.row),
      element('p', {}, `From GOOD to BAD: ${found.total.words}.`),
      element(
          'p', {dir: 'auto'}, culprits.length === 1 ? 'The commit: ' : 'One of these commits: ',
          culprits.map(
              (step) => element('div', {}, element('code', {}, step.commit), ' ', step.subject))),
      element('p', {}, `${culprits.length === 1 ? 'Alone' : 'Together'}: ${found.alone.words}.`),
      part(
          'Reason',
          found.reasons && element('ul', {}, found.reasons.map((line) => element('li', {}, line))),
          found.explain ?
              [
                'A search of this program keeps no code. In a build of this commit this shows which functions take longer:',
                element('pre', {class: 'notes', tabindex: '0'}, found.explain)
              ] :
              'A search of this program keeps no code.',
          3),
      folded(
          `${countText(steps.length, 'revision')} searched`,
          () => plainTable(
              'Revisions', ['commit', 'subject', '', 'commits after it that change nothing'],
              steps.map(
                  (step, i) =>
                      [step.commit, step.subject, stepWord(i, found), String(step.unchanged)]))));
}

function bisectSection(section) {
  return element(
      'article', {}, verdictBanner(section.verdict), factList(section.facts),
      section.findings.map((found) => findingPart(found, section.steps)),
      section.others.length > 0 ?
          part(
              'The other rows',
              filteredTable(
                  'Rows', 'Other rows',
                  [
                    {title: 'row', key: (each) => each.row, show: (each) => each.row}, {
                      title: 'from GOOD to BAD',
                      key: (each) => each.judgement.ratio,
                      show: (each) => each.judgement.words
                    }
                  ],
                  section.others)) :
          null);
}
