import type { RoleOwner } from '../../src/server/supervisor/role-process.js';

/** A supervisor that does nothing for its processes. */
export const idleOwner = (): RoleOwner => ({
  giveWaiting: () => undefined,
  demand: () => undefined,
  forward: () => undefined,
  answer: () => undefined,
  usage: () => ({ residentBytes: 0, heapBytes: 0, cpuSeconds: 0, loopDelaySeconds: 0, logLinesDropped: 0 }),
});
