/** Circles of imports, types included: of files, and of rooms. A room is a folder without its subfolders. */
import { posix } from 'node:path';
import type { ParsedSource } from './parsed-source.js';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** From each file to the files of `sources` that it imports. */
export function fileGraph(sources: ReadonlyMap<string, ParsedSource>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, { imports }] of sources) {
    const targets = imports.map(({ specifier }) => targetOf(file, specifier, sources));
    graph.set(file, new Set(targets.filter((target) => target !== undefined)));
  }
  return graph;
}

/** From each room to the other rooms that its files import. */
export function roomGraph(files: Graph): Graph {
  return graphOf(files, posix.dirname);
}

/** From each folder at this depth, with all that is below it, to the others that its files import. */
export function folderGraph(files: Graph, depth: number): Graph {
  return graphOf(files, (file) => posix.dirname(file).split('/').slice(0, depth).join('/'));
}

function graphOf(files: Graph, placeOf: (file: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    const place = placeOf(file);
    const places = graph.get(place) ?? new Set();
    graph.set(place, places);
    for (const target of targets) if (placeOf(target) !== place) places.add(placeOf(target));
  }
  return graph;
}

/** Where an import of the project leads; nothing for a package, a style sheet or a computed name. */
function targetOf(file: string, specifier: string, sources: ReadonlyMap<string, ParsedSource>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const base = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`].find((path) => sources.has(path));
}

/** Sets of nodes that all reach each other (Tarjan), each sorted. */
export function circlesOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    let lowest = order.size;
    order.set(node, lowest);
    low.set(node, lowest);
    stack.push(node);
    const own = lowest;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next) ?? lowest);
      low.set(node, lowest);
    }
    if (lowest === own) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1 || graph.get(node)?.has(node)) circles.push(circle.sort());
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}

/** One import of each step between two rooms of a circle, for the message of a failure. */
export function stepsOf(circle: readonly string[], files: Graph): string[] {
  const steps = new Map<string, string>();
  for (const [file, targets] of files) {
    for (const target of targets) {
      const [from, to] = [posix.dirname(file), posix.dirname(target)];
      if (from !== to && circle.includes(from) && circle.includes(to)) {
        steps.set(`${from} -> ${to}`, `${from} -> ${to}: src/${file} imports src/${target}`);
      }
    }
  }
  return [...steps.values()].sort();
}
