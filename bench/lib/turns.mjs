// A server that is flooded in short turns with its floor: floor, server, floor, server, floor.
import { looksAt, resultOf, startPublishers } from './load.mjs';
import { look, nextMessage } from './measure.mjs';
import { medianOf } from './report.mjs';

/** The rest of a turn is read from the system's buffers by then. */
const SETTLES_MS = 300;
/** Each server turn lies between two of the floor, which is the first and the last. */
export const TURNS = 5;

/**
 * What the server's turns cost as multiples of the mean of the floor's turns before and after each. The machine's speed drifts
 * within minutes; within a turn of seconds it drifts less, and what is left mostly cancels in the mean of both sides.
 * `costs`: CPU a gigabyte by turn, the floor's at even places.
 */
export const ratiosOfTurns = (costs) =>
  costs.flatMap((cost, i) => (i % 2 === 1 ? [(2 * cost) / (costs[i - 1] + costs[i + 1])] : []));

/** One turn: what the server does while it is flooded, and until it has read all of it. */
async function takeTurn({ server, publishers, before }, load, seconds) {
  const first = look(server);
  const samples = looksAt(server);
  const taken = nextMessage(publishers.child, 'turn');
  publishers.child.send({ seconds });
  const report = await taken.finally(() => samples.stop());
  // The kernel holds some megabytes that the server has not read yet: their cost belongs to this turn.
  await new Promise((resolve) => setTimeout(resolve, SETTLES_MS));
  return resultOf({ before, first, last: look(server), samples: samples.taken, report, watched: 0, load });
}

/** Figures of one server: medians of its turns, and the sum of what its tools took. */
function summaryOf(turns) {
  return { ...medianOf(turns), toolsCpu: turns.reduce((sum, { toolsCpu }) => sum + toolsCpu, 0) };
}

/**
 * Floods a floor and a server, both running, in turns of a fifth of the load's seconds. Resolves with the results of both in
 * this order, and the ratios of the turns. Their connections stay open, and idle between the turns.
 */
export async function inTurns(servers, load) {
  const sides = [];
  try {
    for (const server of servers) {
      const before = look(server);
      sides.push({ server, before, publishers: await startPublishers(server, { ...load, isInTurns: true }) });
    }
    for (const side of sides) await takeTurn(side, load, load.warmupSeconds);
    const turns = [];
    for (let i = 0; i < TURNS; i++) turns.push(await takeTurn(sides[i % 2], load, load.seconds / TURNS));
    return {
      results: sides.map((_, side) => summaryOf(turns.filter((_turn, i) => i % 2 === side))),
      ratios: ratiosOfTurns(turns.map(({ cpuPerGb }) => cpuPerGb)),
    };
  } finally {
    for (const { publishers } of sides) publishers.stop();
  }
}
