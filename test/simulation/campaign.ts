/** Many seeds: what failed, made small, and which faults came before which check. */
import { FAULT_WEIGHTS, type FaultKind } from './plan.js';
import { INVARIANTS, type Invariant, type Run, simulate, smallest } from './simulation.js';

/** Seeds in which a fault of the kind was injected and the invariant had something to check. */
export type Table = Partial<Record<FaultKind, Partial<Record<Invariant, number>>>>;

export interface Part {
  readonly first: number;
  readonly count: number;
}

export interface Outcome extends Part {
  readonly failed: number;
  /** What failed, made small. */
  readonly lines: readonly string[];
  readonly table: Table;
}

export async function runPart({ first, count }: Part, isTraced: boolean): Promise<Outcome> {
  const lines: string[] = [];
  const table: Table = {};
  let failed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const run = await simulate(seed, { isTraced });
    note(table, run);
    if (run.broken.length === 0) {
      if (isTraced) lines.push(...run.trace);
      continue;
    }
    failed += 1;
    const least = await smallest(run);
    lines.push(`seed ${seed} fails, ${least.plan.faults.length} of ${run.plan.faults.length} faults suffice`);
    lines.push(...(isTraced ? least.trace : least.broken.map((each) => `  ${each}`)));
  }
  return { first, count, failed, lines, table };
}

function note(table: Table, { plan, checked }: Run): void {
  for (const kind of new Set(plan.faults.map((fault) => fault.kind))) {
    if (kind === 'store-fails-over' && plan.store === 'embedded') continue;
    if (kind === 'disk-nearly-full' && !plan.isRecorded) continue;
    const row = table[kind] ?? {};
    table[kind] = row;
    for (const invariant of INVARIANTS) if (checked[invariant] > 0) row[invariant] = (row[invariant] ?? 0) + 1;
  }
}

export function addTo(table: Table, other: Table): void {
  for (const [kind, row] of Object.entries(other) as [FaultKind, Partial<Record<Invariant, number>>][])
    for (const invariant of INVARIANTS) {
      const into = table[kind] ?? {};
      table[kind] = into;
      into[invariant] = (into[invariant] ?? 0) + (row[invariant] ?? 0);
    }
}

/** In the form of docs/reliability.md. */
export function tableLines(table: Table): string[] {
  const rows = (Object.keys(FAULT_WEIGHTS) as FaultKind[]).map((kind) => [
    kind,
    ...INVARIANTS.map((invariant) => (table[kind]?.[invariant] ?? 0).toLocaleString('en-US')),
  ]);
  return [['Fault', ...INVARIANTS], ['---', ...INVARIANTS.map(() => '--:')], ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
}
