// The rounds of one load: each server for itself, or at the same time as the floor that it is compared with.
import { RATIOS } from './gate.mjs';
import { underLoad } from './load.mjs';
import { median } from './measure.mjs';
import { medianOf } from './report.mjs';

const isFloor = (name) => name.startsWith('floor');

/**
 * Whom to run at the same time. The speed of a machine may change by half within the time of a run, which changes the floor and
 * a server differently; measured together their ratio repeats within 2 %. Servers that are flooded would compete for the processor.
 */
function groupsOf(names, load, isTogether) {
  if (!isTogether || load.mode !== 'paced') return names.map((name) => [name]);
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

/** Starts the servers of a group one after the other, then puts the load on all at once. Resolves with a result for each. */
async function measure(group, { load, subjects, scratch }) {
  const servers = [];
  try {
    for (const name of group) servers.push(await subjects[name].start(load, scratch));
    const shared = { ...load, isShared: group.length > 1 };
    const results = await Promise.all(servers.map((server) => underLoad(server, shared)));
    for (const [i, { cpuPerGb, faults }] of results.entries()) {
      const times = i > 0 ? `, ${(cpuPerGb / results[0].cpuPerGb).toFixed(2)} times the one beside it` : '';
      const why = faults.map((fault) => `: ${fault}`).join('');
      console.log(`${load.name}; ${subjects[group[i]].name}: ${cpuPerGb.toFixed(2)} CPU s/GB${times}${why}`);
    }
    return results;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** A result for each name: medians of the rounds, with `times` by the name of each floor that ran at the same time. */
export async function inRounds(names, { rounds, isTogether, ...run }) {
  const taken = new Map(names.map((name) => [name, []]));
  const times = new Map();
  for (let round = 0; round < rounds; round++) {
    // Turn by turn, so that what else the machine does falls on all alike.
    for (const group of groupsOf(names, run.load, isTogether)) {
      const results = await measure(group, run);
      for (const [i, name] of group.entries()) taken.get(name).push(results[i]);
      const [floor, name] = group;
      if (name === undefined) continue;
      const key = `${name} ${floor}`;
      times.set(key, [...(times.get(key) ?? []), results[1].cpuPerGb / results[0].cpuPerGb]);
    }
  }
  return [...taken].map(([subject, results]) => {
    const beside = names.filter((floor) => times.has(`${subject} ${floor}`));
    const ratios = beside.map((floor) => [floor, median(times.get(`${subject} ${floor}`))]);
    return { subject, ...medianOf(results), ...(ratios.length > 0 ? { times: Object.fromEntries(ratios) } : {}) };
  });
}
