// Results as tables for people.
import { median } from './measure.mjs';

/** Each figure's median over the rounds; every fault that was met. */
export function medianOf(rounds) {
  const [first] = rounds;
  const figures = Object.keys(first).filter((key) => key !== 'faults');
  const medians = figures.map((key) => [key, median(rounds.map((round) => round[key]))]);
  return { ...Object.fromEntries(medians), faults: [...new Set(rounds.flatMap((round) => round.faults))] };
}

const fixed = (value, digits) => (value === undefined ? '' : value.toFixed(digits));

const ENOUGH_FOR_MEMORY = 20;

function row(result, floor, names) {
  const { load, subject, faults } = result;
  // Of few publishers it would be the heap of the server's own start.
  const few = load.publishers < ENOUGH_FOR_MEMORY;
  const aboveFloor = floor === undefined ? undefined : result.memoryKbPerPublisher - floor.memoryKbPerPublisher;
  return [
    names[subject],
    fixed(result.cpuPerGb, 2),
    floor === undefined ? '' : fixed(result.times?.floor ?? result.cpuPerGb / floor.cpuPerGb, 2),
    fixed(result.cores, 2),
    fixed(result.toolsCpu, 1),
    fixed(result.memoryMb, 0),
    few ? '' : fixed(result.memoryKbPerPublisher, 0),
    few ? '' : fixed(result.filesKbPerPublisher, 0),
    few || subject === 'floor' ? '' : fixed(aboveFloor, 0),
    load.mode === 'flood' ? fixed(result.mbps, 0) : `${fixed(result.mbps, 0)} of ${fixed(result.plannedMbps, 0)}`,
    load.viewers > 0 ? fixed(result.watchedMbps, 0) : '',
    load.viewers > 0 ? fixed(result.cpuPerGbBothWays, 2) : '',
    fixed(result.generatorCores, 2),
    fixed(result.othersCores, 2),
    faults.join('; '),
  ];
}

const HEAD = [
  'Server',
  'CPU s/GB',
  'times the floor',
  'cores',
  'tools, CPU s',
  'memory, MB',
  'KB a publisher',
  'of them files',
  'KB above the floor',
  'Mbit/s in',
  'Mbit/s to viewers',
  'CPU s/GB in and out',
  'load generator, cores',
  'others, cores',
  'faults of the measurement',
];

/** A table for each load. Columns that are empty throughout are left out. */
export function markdown(results, names) {
  const loads = [...new Set(results.map((result) => result.load))];
  let title;
  return loads
    .map((load) => {
      const of = results.filter((result) => result.load === load);
      const floor = of.find((result) => result.subject === 'floor');
      const rows = of.map((result) => row(result, floor, names));
      const kept = HEAD.map((_, i) => i).filter((i) => rows.some((cells) => cells[i] !== ''));
      const line = (cells) => `| ${kept.map((i) => cells[i]).join(' | ')} |`;
      const heading = of[0].table === title ? '' : `## ${of[0].table}\n\n`;
      title = of[0].table;
      return `${heading}**${load.name}**\n\n${line(HEAD)}\n${line(HEAD.map(() => '---'))}\n${rows.map(line).join('\n')}\n`;
    })
    .join('\n');
}
