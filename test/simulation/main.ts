/** `npm run simulate -- --seed 4711 --trace`, `npm run simulate -- --seeds 1000 --from 1`. Exit 1 when a run fails. */
import { parseArgs } from 'node:util';
import { simulate, smallest } from './simulation.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
let failed = 0;

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

for (let seed = first; seed < first + count; seed += 1) {
  const run = await simulate(seed, { isTraced: values.trace });
  if (run.broken.length === 0) {
    if (values.trace) print(...run.trace);
    continue;
  }
  failed += 1;
  const least = await smallest(run);
  print(`seed ${seed} fails, ${least.plan.faults.length} of ${run.plan.faults.length} faults suffice`);
  print(...(values.trace ? least.trace : least.broken.map((each) => `  ${each}`)));
}

print(`${count} seeds from ${first}: ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
