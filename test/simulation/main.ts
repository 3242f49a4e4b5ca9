/**
 * `npm run simulate -- --seed 4711 --trace`: one seed. `npm run simulate -- --seeds 1000 --from 1 --jobs 2`: a campaign, in order of the
 * seeds. SIGINT ends it after the seeds that run, and says where to go on. Exit 1 when a run fails.
 */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { addTo, type Outcome, type Part, runPart, type Table, tableLines } from './campaign.js';

const PART = 20;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    /** Which faults came before which check. */
    table: { type: 'boolean', default: false },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const jobs = Math.min(Number(values.jobs), Math.ceil(count / PART));

function print(...lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

if (process.send === undefined) await campaign();
else serve();

/** Runs the parts that the parent process sends. */
function serve(): void {
  process.on('message', (part: Part) => {
    void runPart(part, values.trace).then((outcome) => process.send?.(outcome));
  });
  process.on('SIGINT', () => undefined);
}

async function campaign(): Promise<void> {
  const table: Table = {};
  const done = new Map<number, Outcome>();
  let [next, printed, failed, isStopped] = [first, first, 0, false];
  process.once('SIGINT', () => {
    isStopped = true;
  });
  const take = (): Part | undefined => {
    if (isStopped || next >= first + count) return undefined;
    const part = { first: next, count: Math.min(PART, first + count - next) };
    next += part.count;
    return part;
  };
  const finish = (outcome: Outcome): void => {
    done.set(outcome.first, outcome);
    for (let ready = done.get(printed); ready !== undefined; ready = done.get(printed)) {
      done.delete(printed);
      print(...ready.lines);
      addTo(table, ready.table);
      failed += ready.failed;
      printed += ready.count;
    }
  };
  await Promise.all(
    Array.from({ length: Math.max(1, jobs) }, () => (jobs > 1 ? inChild(take, finish) : here(take, finish))),
  );
  if (values.table) print(...tableLines(table));
  print(`${printed - first} seeds from ${first}: ${failed} failed`);
  if (printed < first + count) print(`go on with --from ${printed} --seeds ${first + count - printed}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

type Take = () => Part | undefined;
type Finish = (outcome: Outcome) => void;

async function here(take: Take, finish: Finish): Promise<void> {
  for (let part = take(); part !== undefined; part = take()) finish(await runPart(part, values.trace));
}

function inChild(take: Take, finish: Finish): Promise<void> {
  const child = fork(process.argv[1] ?? '', process.argv.slice(2), { execArgv: process.execArgv });
  const give = () => {
    const part = take();
    if (part === undefined) child.disconnect();
    else child.send(part);
  };
  child.on('message', (outcome: Outcome) => {
    finish(outcome);
    give();
  });
  give();
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a process of the campaign ended with ${code}`)),
    );
  });
}
