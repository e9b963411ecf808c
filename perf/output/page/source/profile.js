// What `ratchet explain` recorded: the functions of a row in two builds, as a table and as a
// differential flame graph.

/** The profile of a row, from whichever section holds it. */
function findProfile(row) {
  return data.sections.flatMap((section) => section.profiles || []).find((each) => each.row === row);
}

/** "1.234 µs" or "871". */
function costText(value, profile) {
  return profile.unit === 'ns' ? millisecondsText(value / 1e6) : engineering(value);
}

/** With its sign; nothing is "0". */
function signed(value, text) {
  const size = text(Math.abs(value));
  return parseFloat(size) === 0 ? '0' : (value < 0 ? '−' : '+') + size;
}

/** A change as a share of one call before. */
function ofCall(change, profile) {
  return profile.before > 0 ? signed(change, (size) => (100 * size / profile.before).toFixed(1) + ' %') :
                              '';
}

/** How strong the colour of a change is: 0, or from 1 to 3. */
function strength(change, profile) {
  const share = Math.abs(change) / profile.before;
  return share < 0.005 ? 0 : share < 0.05 ? 1 : share < 0.2 ? 2 : 3;
}

/** A call with its callees below it; `of`: what is as wide as its place. */
function callBox(node, of, profile) {
  const change = node.now - node.before;
  const strong = strength(change, profile);
  const box = element(
      'div', {class: 'call'},
      element(
          'div', {
            class: `frame ${strong ? `${change > 0 ? 'gain' : 'loss'}-${strong}` : ''}`,
            title: `${node.function}\n${costText(node.before, profile)} → ${
                costText(node.now, profile)}, ${ofCall(change, profile)} of a call`
          },
          strong ? `${ofCall(change, profile)} ` : '', node.function),
      element(
          'div', {class: 'callees'},
          node.callees.filter((each) => each.now > 0)
              .map((each) => callBox(each, node.now, profile))));
  box.style.width = `${100 * node.now / of}%`;
  return box;
}

function flameGraph(profile) {
  const nodes = profile.tree.map((node) => ({...node, callees: []}));
  nodes.forEach((node, i) => i > 0 && nodes[node.parent].callees.push(node));
  if (nodes.length === 0 || !(nodes[0].now > 0)) return null;
  const wide = profile.unit === 'ns' ? 'time' : 'instructions';
  const caption = `One call of this build, each function below its caller and as wide as its ${wide} ` +
      'with all that it calls. Red takes longer, green less, by the stated share of a call. What is ' +
      'gone has no width.';
  return element(
      'figure', {},
      element(
          'div', {class: 'flame', role: 'img', 'aria-label': `Flame graph. ${caption}`},
          element('div', {'aria-hidden': 'true'}, callBox(nodes[0], nodes[0].now, profile))),
      element('figcaption', {}, caption));
}

function functionTable(profile) {
  const change = (each) => each.now - each.before;
  const only = (each) => each.only ? ` (only ${each.only})` : '';
  return filteredTable(
      'Functions', 'Functions by themselves, the largest gain in time first',
      [
        {
          title: 'function by itself',
          key: (each) => each.function,
          show: (each) => element('span', {}, element('code', {}, each.function), only(each))
        },
        {title: 'before', key: (each) => each.before, show: (each) => costText(each.before, profile)},
        {title: 'now', key: (each) => each.now, show: (each) => costText(each.now, profile)}, {
          title: 'change',
          key: change,
          show: (each) => signed(change(each), (size) => costText(size, profile)) +
              (each.error ? ` ± ${costText(each.error, profile)}` : '')
        },
        {title: 'of a call', key: change, show: (each) => ofCall(change(each), profile)}
      ],
      profile.functions);
}

function profilePart(profile) {
  const total = profile.now - profile.before;
  return element(
      'div', {}, factList(profile.facts),
      element(
          'p', {},
          `One call: ${costText(profile.before, profile)} → ${costText(profile.now, profile)} ${
              profile.unit === 'ns' ? '' : profile.unit}, ${ofCall(total, profile)}.`),
      flameGraph(profile), functionTable(profile),
      profile.functions.some((each) => each.only) ?
          element(
              'p', {class: 'note'},
              'Only now, only before: new, gone, renamed, or inlined into its caller in the other build.') :
          null);
}

function profileSection(section) {
  return element(
      'article', {}, element('h1', {}, 'Functions that take longer'),
      section.profiles.map(
          (profile) => element(
              'section', {class: 'part'}, element('h2', {class: 'long', dir: 'auto'}, profile.row),
              profilePart(profile))));
}
