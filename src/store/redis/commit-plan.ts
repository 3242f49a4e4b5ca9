/** Converts writes to arguments of the commit script, and orders them by the hash tags of a cluster. */
import type { Write } from '../../ports/index.js';
import { requireName, requireScore } from '../shared/names.js';
import type { Argument } from './connection.js';
import { paddedScore, type RedisKeys } from './keys.js';

/** One write as arguments of the script. */
export interface Step {
  readonly key: string;
  readonly fields: readonly Argument[];
  /** The write has a condition: a version, or an alias that may be taken. */
  readonly conditional: boolean;
  /** Order: objects, then references to them, then index entries, then deletes. */
  readonly phase: number;
}

/** @throws RangeError for an invalid write */
export function stepsOf(writes: readonly Write[], keys: RedisKeys): Step[] {
  return writes.map((write) => stepOf(write, keys));
}

function stepOf(write: Write, keys: RedisKeys): Step {
  switch (write.op) {
    case 'put': {
      const { id, kind, createdMs, updatedMs, data } = write.object;
      const text = `${kind}|${createdMs}|${updatedMs}|${JSON.stringify(data ?? null)}`;
      return {
        key: keys.base(requireName(id, 'an id')),
        fields: ['put', write.expect ?? '', text, '', id],
        conditional: write.expect !== undefined,
        phase: 0,
      };
    }
    case 'delete':
      return {
        key: keys.base(requireName(write.id, 'an id')),
        fields: ['delete', write.expect ?? '', '', '', write.id],
        conditional: write.expect !== undefined,
        phase: 3,
      };
    case 'edgeAdd': {
      const value = write.value === undefined ? '' : JSON.stringify(write.value);
      const score = paddedScore(requireScore(write.score, 'a score'));
      return {
        key: keys.base(requireName(write.owner, 'an owner')),
        fields: ['edgeAdd', requireName(write.edge, 'an edge'), requireName(write.member, 'a member'), score, value],
        conditional: false,
        phase: 2,
      };
    }
    case 'edgeRemove':
      return {
        key: keys.base(requireName(write.owner, 'an owner')),
        fields: ['edgeRemove', write.edge, write.member, '', ''],
        conditional: false,
        phase: 2,
      };
    case 'count':
      if (!Number.isSafeInteger(write.by)) throw new RangeError('a counter changes by an integer');
      return {
        key: keys.base(requireName(write.owner, 'an owner')),
        fields: ['count', requireName(write.counter, 'a counter'), write.by, '', ''],
        conditional: false,
        phase: 2,
      };
    case 'alias':
      return {
        key: keys.base(requireName(write.alias, 'an alias')),
        fields: ['alias', write.id === null ? '' : requireName(write.id, 'an id'), '', '', write.alias],
        conditional: write.id !== null,
        phase: 1,
      };
    default:
      throw new RangeError(`unknown write ${JSON.stringify(write satisfies never)}`);
  }
}

/** The steps of each tag, in write order. */
export function groupsOf(steps: readonly Step[]): (readonly Step[])[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const group = groups.get(step.key);
    if (group === undefined) groups.set(step.key, [step]);
    else group.push(step);
  }
  const phaseOf = (group: readonly Step[]) => Math.min(...group.map((step) => step.phase));
  return [...groups.values()].sort((left, right) => phaseOf(left) - phaseOf(right));
}
