// A gate run or a comparison: the verdict, its circumstances, its rows.

const stateShapes = {
  pass: '✔',
  regression: '▼',
  failed: '✕',
  undecided: '?',
  nothing: '○'
};

function verdictBanner(verdict) {
  const state = Object.hasOwn(stateShapes, verdict.state) ? verdict.state : 'failed';
  return element(
      'div', {class: `banner state-${state}`},
      element('span', {class: 'shape', 'aria-hidden': 'true'}, stateShapes[state]),
      element('h1', {dir: 'auto'}, verdict.sentence),
      verdict.exit_code === undefined ?
          null :
          element('span', {class: 'code'}, `exit code ${verdict.exit_code}`));
}

function factList(facts) {
  return element(
      'dl', {class: 'facts'},
      facts.map(
          ([name, text]) =>
              element('div', {}, element('dt', {}, name), element('dd', {dir: 'auto'}, text))));
}

/** One side of a comparison: commit, subject, author, branch, date, build. */
function commitLine(name, commit, revision) {
  const dirty = revision?.endsWith('-dirty');
  return element(
      'div', {}, element('dt', {}, name),
      element(
          'dd', {dir: 'auto'},
          commit.commit ? commitLink(commit.commit, commit.url) :
                          element('code', {}, revision || ''),
          ' ', element('strong', {}, commit.subject || '')),
      [
        commit.author && `by ${commit.author}`, commit.branch && `on ${commit.branch}`,
        commit.date && `${commit.date.slice(0, 10)} ${commit.date.slice(11, 16)} UTC`,
        dirty && 'with uncommitted changes', commit.commit && commit.build && `built in ${commit.build}`
      ].filter(Boolean)
          .map((text) => element('dd', {class: 'note', dir: 'auto'}, text)));
}

/** Which commits were compared, and where they and the CI run are found. */
function commitList(section) {
  const {now, base} = section.commits || {};
  const links = [[section.url, section.project || 'repository'], [section.ci_run, 'CI run']].filter(
      ([url]) => /^https?:\/\//.test(url || ''));
  if (!now && !base && links.length === 0) return null;
  return element(
      'dl', {class: 'facts commits'}, now ? commitLine('measured', now, section.revision) : null,
      base ? commitLine('base', base) : null,
      links.length === 0 ?
          null :
          element(
              'div', {}, element('dt', {}, 'links'),
              links.map(([url, text]) => element('dd', {}, element('a', {href: url}, text)))));
}

function doctorLine(section) {
  if (!section.doctor_asked) return null;
  if (section.doctor.length === 0)
    return element('p', {class: 'doctor'}, 'Doctor: nothing on this machine disturbs measurement.');
  const names = section.doctor.map((each) => each.check).join(', ');
  return folded(
      `Doctor: ${countText(section.doctor.length, 'thing')} may disturb measurement: ${names}`,
      () => plainTable(
          'What disturbs measurement', ['check', 'found', 'effect', 'remedy'],
          section.doctor.map((each) => [each.check, each.found, each.effect, each.fix])),
      {class: 'doctor'});
}

function countsLine(counts) {
  return element(
      'p', {class: 'counts'},
      ['identical', 'measured', 'decided'].map(
          (name) => element(
              'span', {}, element('strong', {'data-count': name}, String(counts[name])),
              {identical: ' of identical work',
               measured: ' compared by time',
               decided: ' of these decided'}[name])));
}

function runSection(section) {
  return element(
      'article', {}, verdictBanner(section.verdict), commitList(section), factList(section.facts),
      doctorLine(section), countsLine(section.counts), rowGroups(section),
      section.notes.length > 0 ?
          folded(
              'Notes of the run',
              () => element('pre', {class: 'notes', tabindex: '0'}, withOptions(section.notes.join('\n')))) :
          null);
}
