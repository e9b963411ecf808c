// What the action shows on a pull request: one comment a job, kept up to date, and a Check Run. Called by
// actions/github-script, in action.yml and in ci/comment/action.yml.
const fs = require('fs');
const path = require('path');

const most = 65000;  // GitHub refuses texts of more than 65535 characters

// Null without results of a run.
function read(folder) {
  const file = (name) => path.join(folder, name);
  if (!fs.existsSync(file('summary.md'))) return null;
  let ratchet = {};
  try {
    ratchet = JSON.parse(fs.readFileSync(file('gate.json'), 'utf8')).context.ratchet;
  } catch (error) {
    // A run that failed before it had results leaves summary.md alone.
  }
  return {summary: fs.readFileSync(file('summary.md'), 'utf8'), ratchet};
}

// What a fork's run left may be anything: it mentions no one, and holds no mark, tag or picture.
function ofFork(summary) {
  const harmless = summary.replace(/[@<]|!(?=\[)/g, '$&\u200b');
  return '_As the run in the fork reported it._\n\n' + harmless;
}

async function comment({github, context, number, name, summary}) {
  const mark = `<!-- ratchet ${name} -->`;
  const body = (mark + '\n' + summary).slice(0, most);
  const issue = {...context.repo, issue_number: number};
  const all = await github.paginate(github.rest.issues.listComments, issue);
  const mine = all.find((each) => each.body && each.body.startsWith(mark));
  if (mine) await github.rest.issues.updateComment({...context.repo, comment_id: mine.id, body});
  else await github.rest.issues.createComment({...issue, body});
}

// A run that passes with undecided rows proves nothing: neutral, not green.
function conclusion({exit_code: code}, rows) {
  if (code === 0) return Object.values(rows).some((row) => row.verdict === 'undecided') ? 'neutral' : 'success';
  return code === 3 || code === 77 ? 'neutral' : 'failure';
}

async function check({github, context, sha, name, summary, ratchet}) {
  const title = (summary.match(/^## ratchet: (.*)$/m) || ['', 'no results'])[1];
  await github.rest.checks.create({
    ...context.repo, name: `ratchet: ${name}`, head_sha: sha, status: 'completed',
    conclusion: conclusion(ratchet.run || {}, ratchet.rows || {}),
    output: {title: title.slice(0, 250), summary: summary.slice(0, most)}});
}

// The privileged half: shows the results that the run of a pull request has uploaded, a folder each artifact.
async function showRun({github, context, core, folder}) {
  const run = context.payload.workflow_run;
  if (run.event !== 'pull_request') return core.info(`the run is of ${run.event}; nothing to show`);
  // Of a fork's pull request the event does not name it, and what the run uploaded must not.
  const head = `${run.head_repository.owner.login}:${run.head_branch}`;
  const open = await github.paginate(github.rest.pulls.list, {...context.repo, state: 'open', head});
  const pull = open.find((each) => each.head.sha === run.head_sha);
  if (!pull) return core.info(`no open pull request has the commit ${run.head_sha}; a later run shows its own`);
  const fork = run.head_repository.full_name !== `${context.repo.owner}/${context.repo.repo}`;
  for (const artifact of fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []) {
    const results = read(path.join(folder, artifact));
    if (!results) continue;
    const name = artifact.replace(/^ratchet-/, '').replace(/[^\w .()-]/g, '');
    const summary = fork ? ofFork(results.summary) : results.summary;
    const shown = {github, context, name, summary, ratchet: results.ratchet};
    await comment({...shown, number: pull.number});
    await check({...shown, sha: run.head_sha});
  }
}

module.exports = {read, comment, check, showRun};
