/** Generates docs/conformance.md and docs/conformance/ from the cases, from the results of `scripts/conformance.mjs`, and from the notes on them. */
import { type Case, GROUPS, type Group } from '../../src/conform/case.js';
import { CASES } from '../../src/conform/cases/index.js';
import { NOTES, type Peer } from './conformance-notes.js';

interface Outcome {
  readonly verdict: 'fail' | 'unknown' | 'skipped';
  readonly ended?: true;
  readonly came: string;
}

type Outcomes = Readonly<Record<string, Outcome>>;

interface PeerResults {
  readonly version?: string;
  readonly config?: string;
  readonly rtmp: Outcomes;
  readonly rtmps: Outcomes;
}

export type Results = { readonly [name in 'airlock' | Peer]: PeerResults };

const LEVEL_TEXT = {
  must: 'a requirement of the standard, or that the server goes on to serve others',
  should: 'a recommendation of the standard, or an encoder in use fails without it',
  practice: 'known servers do it, and encoders are better off',
} as const;

const TITLES: Readonly<Record<Group, string>> = {
  handshake: 'Handshake',
  chunks: 'Chunk stream',
  control: 'Control messages',
  amf: 'AMF',
  commands: 'Commands',
  publishing: 'Publishing',
  enhanced: 'Enhanced RTMP',
  tls: 'TLS',
  limits: 'Limits',
};

/** Ids that failed over RTMP or RTMPS, in the order of the cases. */
export function failuresOf({ rtmp, rtmps }: PeerResults): string[] {
  return CASES.map(({ id }) => id).filter((id) => rtmp[id]?.verdict === 'fail' || rtmps[id]?.verdict === 'fail');
}

/** Groups by the page of their cases: no page has more than 250 lines. */
const PAGES: Readonly<Record<string, { readonly title: string; readonly groups: readonly Group[] }>> = {
  protocol: { title: 'Cases of the protocol', groups: ['handshake', 'chunks', 'control', 'amf', 'commands'] },
  streams: { title: 'Cases of streams', groups: ['publishing', 'enhanced', 'tls', 'limits'] },
};

/** Every page by its path in `docs`. */
export function conformanceDocuments(results: Results): ReadonlyMap<string, string> {
  const cases = Object.entries(PAGES).map(([name, { title, groups }]): [string, string] => {
    const question =
      'What is sent to a server, and what must come back? [Conformance](../conformance.md) explains the levels.';
    return [`conformance/${name}.md`, [`# ${title}\n\n${question}\n`, ...groups.map(casesOf)].join('\n')];
  });
  return new Map([['conformance.md', [head(), sums(results), peers(results)].join('\n')], ...cases]);
}

function head(): string {
  const levels = Object.entries(LEVEL_TEXT).map(([level, text]) => `- \`${level}\`: ${text}.`);
  return `# Conformance

What must an RTMP ingest withstand, and how does any server show that it does?

\`npx airlock conform URL\` holds a server against ${CASES.length} cases in nine groups, over RTMP or RTMPS. Each is one file in
\`src/conform/cases\` that says what is sent and what must come back. The [tutorial](tutorials/conformance.md) has the commands, and
jobs for GitHub and GitLab. The cases are those of [the protocol](conformance/protocol.md) and of
[streams](conformance/streams.md). These pages are generated: \`UPDATE_DOCS=1 npm test -- test/unit/conform\` writes them.

A case has a level:

${levels.join('\n')}

It ends with \`pass\`, \`fail\`, \`unknown\` (the server did not come as far as the point that is judged) or \`skipped\` (it does not
apply, and the reason is printed). Only \`fail\` makes the exit code 1. "Ends at most its own connection" is said of faulty and hostile
input: such a case runs alone, another connection that is open meanwhile must still be served, and a plain publish must be accepted
afterwards.

Bounds: a case sends 64 MB at most, below 100 MB a second, on 40 connections at most, and takes a minute at most beside the deadline of
the server that it waits for. Only a server on this machine is reached without \`--remote\`. The run stops where the server says
that another encoder publishes with the key. A run of all cases takes about 30 s against Airlock, and 85 s against nginx-rtmp, which
lets three deadlines of a minute pass.
`;
}

function sums(results: Results): string {
  const names = Object.keys(NAMES) as (keyof Results)[];
  const row = (group: Group) => {
    const own = CASES.filter((each) => each.group === group);
    return `| ${TITLES[group]} | ${names.map((name) => countsOf(own, results[name], group === 'tls')).join(' | ')} |`;
  };
  return `## Servers

Passed and failed cases, over RTMP, for TLS over RTMPS. What is missing to the number of cases was skipped. \`node scripts/conformance.mjs\`
starts each server, runs one case after the other, starts a server anew after each failure, and repeats what failed on the fresh one.

| Group | ${names.map((name) => NAMES[name]).join(' | ')} |
|---|${names.map(() => '---|').join('')}
${GROUPS.map(row).join('\n')}
`;
}

const NAMES: Readonly<Record<keyof Results, string>> = {
  airlock: 'Airlock',
  'nginx-rtmp': 'nginx-rtmp',
  'node-media-server': 'node-media-server',
};

function countsOf(cases: readonly Case[], { rtmp, rtmps }: PeerResults, isTls: boolean): string {
  const outcomes = isTls ? rtmps : rtmp;
  const count = (verdict?: string) => cases.filter(({ id }) => outcomes[id]?.verdict === verdict).length;
  const failed = count('fail');
  return failed === 0 ? `${count()} passed` : `${count()} passed, ${failed} failed`;
}

function peers(results: Results): string {
  return (Object.keys(NOTES) as Peer[]).map((name) => peer(name, results[name])).join('\n');
}

function peer(name: Peer, results: PeerResults): string {
  const { version, config = '' } = results;
  const rows = failuresOf(results).map((id) => {
    const { level } = CASES.find((each) => each.id === id) ?? { level: '' };
    return `| \`${id}\` | ${level} | ${where(id, results)}${NOTES[name][id] ?? ''} |`;
  });
  return `### ${NAMES[name]}

${version}, with this configuration:

\`\`\`text
${config.trim()}
\`\`\`

| Case | Level | What was seen, and where it comes from |
|---|---|---|
${rows.join('\n')}
`;
}

function where(id: string, { rtmp, rtmps }: PeerResults): string {
  const [plain, secure] = [rtmp[id]?.verdict === 'fail', rtmps[id]?.verdict === 'fail'];
  const isEnded = rtmp[id]?.ended === true || rtmps[id]?.ended === true;
  const scheme = plain === secure || id.startsWith('tls/') ? '' : plain ? 'Over RTMP. ' : 'Over RTMPS. ';
  return `${scheme}${isEnded ? 'The process ends. ' : ''}`;
}

function casesOf(group: Group): string {
  const rows = CASES.filter((each) => each.group === group).map(
    ({ id, level, clause, title }) => `| \`${id}\` | ${level} | ${clause} | ${title} |`,
  );
  return `## ${TITLES[group]}

| Case | Level | Clause | Holds |
|---|---|---|---|
${rows.join('\n')}
`;
}
