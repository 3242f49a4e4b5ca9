// The rounds of one load: each server for itself, or with the floor that it is compared with: at the same time or in turns.
import { RATIOS } from './gate.mjs';
import { underLoad } from './load.mjs';
import { median } from './measure.mjs';
import { medianOf } from './report.mjs';
import { inTurns } from './turns.mjs';

const isFloor = (name) => name.startsWith('floor');

/**
 * Whom to run together. The speed of a machine may change by half within the time of a run, which changes the floor and
 * a server differently. In real time both run at once; flooded they would compete for the processor, and run in short turns.
 */
function groupsOf(names, isTogether) {
  if (!isTogether) return names.map((name) => [name]);
  const pairs = names
    .filter((name) => !isFloor(name))
    .flatMap((name) => {
      const floors = RATIOS.filter(({ of }) => of === name).map(({ to }) => to);
      const present = (floors.length > 0 ? floors : ['floor']).filter((floor) => names.includes(floor));
      return present.length > 0 ? present.map((floor) => [floor, name]) : [[name]];
    });
  const alone = names.filter((name) => !pairs.flat().includes(name)).map((name) => [name]);
  return [...alone, ...pairs];
}

/** The load on all servers at once. Resolves with the results in their order, and with two servers the ratio of their costs. */
async function atOnce(servers, load) {
  const shared = { ...load, isShared: servers.length > 1 };
  const results = await Promise.all(servers.map((server) => underLoad(server, shared)));
  const [floor, server] = results;
  return { results, ratios: server === undefined ? [] : [server.cpuPerGb / floor.cpuPerGb] };
}

/** Starts the servers of a group one after the other, then loads them. Resolves with a result for each, and the ratios to the first. */
async function measure(group, { load, subjects, scratch }) {
  const servers = [];
  try {
    for (const name of group) servers.push(await subjects[name].start(load, scratch));
    const isInTurns = load.mode === 'flood' && group.length > 1;
    const { results, ratios } = await (isInTurns ? inTurns : atOnce)(servers, load);
    const shown = ratios.map((ratio) => ratio.toFixed(2)).join(' and ');
    for (const [i, { cpuPerGb, faults }] of results.entries()) {
      const times = i > 0 ? `, ${shown} times the one ${isInTurns ? 'in turn with' : 'beside'} it` : '';
      const why = faults.map((fault) => `: ${fault}`).join('');
      console.log(`${load.name}; ${subjects[group[i]].name}: ${cpuPerGb.toFixed(2)} CPU s/GB${times}${why}`);
    }
    return { results, ratios };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** A result for each name: medians of the rounds, with `times` by the name of each floor that it ran with, of all turns. */
export async function inRounds(names, { rounds, isTogether, ...run }) {
  const taken = new Map(names.map((name) => [name, []]));
  const times = new Map();
  for (let round = 0; round < rounds; round++) {
    // Turn by turn, so that what else the machine does falls on all alike.
    for (const group of groupsOf(names, isTogether)) {
      const { results, ratios } = await measure(group, run);
      for (const [i, name] of group.entries()) taken.get(name).push(results[i]);
      const [floor, name] = group;
      if (name === undefined) continue;
      const key = `${name} ${floor}`;
      times.set(key, [...(times.get(key) ?? []), ...ratios]);
    }
  }
  return [...taken].map(([subject, results]) => {
    const beside = names.filter((floor) => times.has(`${subject} ${floor}`));
    const medians = beside.map((floor) => [floor, median(times.get(`${subject} ${floor}`))]);
    return { subject, ...medianOf(results), ...(medians.length > 0 ? { times: Object.fromEntries(medians) } : {}) };
  });
}
