/** The tables of docs/ARCHITECTURE.md, as the architecture test reads them. */

export interface ModuleRule {
  /** Below `src/`: a folder or a file. */
  readonly path: string;
  readonly values: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly because: string;
}

export const PURE = [
  'spec',
  'bytes',
  'rtmp',
  'media',
  'facts',
  'rules',
  'judge',
  'lifecycle',
  'golive',
  'copyright',
] as const;

export function moduleRules(document: string): ModuleRule[] {
  return tableRows(document, '| Path | May import | And types of | Because |').map(
    ([path = '', values = '', types = '', because = '']) => ({
      path: unquote(path),
      values: names(values),
      types: new Set([...names(values), ...names(types)]),
      because,
    }),
  );
}

/** Package → places below `src/` that may import it. */
export function packageHomes(document: string): ReadonlyMap<string, readonly string[]> {
  const homes = new Map<string, readonly string[]>();
  for (const [packages = '', places = ''] of tableRows(document, '| Package | Home |')) {
    for (const name of packages.split(', ')) homes.set(unquote(name), places.split(', ').map(unquote));
  }
  return homes;
}

/** The rule of the most specific path. `file` is below `src/`. */
export function ruleFor(rules: readonly ModuleRule[], file: string): ModuleRule | undefined {
  return rules
    .filter((rule) => isBelow(file, rule.path))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
}

export function isBelow(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

/** The module of a file below `src/`: its top folder, or its own name at the top. */
export function moduleOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function tableRows(document: string, head: string): string[][] {
  const lines = document.split('\n');
  const at = lines.indexOf(head);
  if (at < 0) throw new Error(`docs/ARCHITECTURE.md has no table with the head ${head}`);
  const rows: string[][] = [];
  for (const line of lines.slice(at + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

function names(cell: string): Set<string> {
  return new Set(
    cell
      .split(', ')
      .filter((name) => name !== '')
      .flatMap((name) => (name === 'pure' ? PURE : [name])),
  );
}

function unquote(cell: string): string {
  return cell.replaceAll('`', '').trim();
}
