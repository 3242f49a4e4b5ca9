/** What the project tests ask of a source file, taken from the compiler's syntax tree and not from its text. */
import { parseSync } from '@swc/core';

export interface ImportSite {
  readonly specifier: string;
  readonly line: number;
  /** The import vanishes when the code is compiled. */
  readonly typeOnly: boolean;
  /** Names imported by value; `*` for a namespace, nothing for the effect alone. */
  readonly names: readonly string[];
}

export interface Use {
  readonly what: string;
  readonly line: number;
}

export interface FunctionSite {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface ParsedSource {
  readonly imports: readonly ImportSite[];
  /** `Date.now`, `new Date()`, `Math.random`, `process`, `setTimeout` … as written. */
  readonly globals: readonly Use[];
  /** `any`, `!`, `as unknown as`, `enum`, `namespace`, `export default`, `console`, `empty catch`. */
  readonly loose: readonly Use[];
  /** Each function, method and arrow function, nested ones too. */
  readonly functions: readonly FunctionSite[];
}

type Node = { readonly type: string; readonly span?: { readonly start: number; readonly end: number } } & Readonly<
  Record<string, unknown>
>;

const CLOCKS_AND_CHANCE = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'performance.timeOrigin',
  'process.hrtime',
  'crypto.getRandomValues',
  'crypto.randomUUID',
]);
const EFFECTS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'process',
  'performance',
  'crypto',
  'globalThis',
]);

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
]);

/** `tsx` for a component, whose `<` opens an element. */
export function parseSource(text: string, tsx = false): ParsedSource {
  const module = parseSync(text, { syntax: 'typescript', tsx, target: 'es2022' }) as unknown as Node;
  // Spans are byte offsets that go on counting from file to file, from 1.
  const origin = (module.span?.start ?? 1) - leadingBytes(text);
  const lineOf = lineCounter(text);
  const lineAt = (node: Node): number => lineOf((node.span?.start ?? origin) - origin);
  const found = {
    imports: [] as ImportSite[],
    globals: [] as Use[],
    loose: [] as Use[],
    functions: [] as FunctionSite[],
  };
  const named = new Map<unknown, string>();
  walk(module, (node) => {
    if (node.type === 'VariableDeclarator') named.set(node.init, nameOf(node.id));
    if (FUNCTIONS.has(node.type)) {
      const line = lineAt(node);
      // The end of a span is the byte behind it.
      const lines = lineOf((node.span?.end ?? origin) - origin - 1) - line + 1;
      const name = nameOf(node.identifier ?? node.key) || named.get(node) || 'a function';
      found.functions.push({ name, line, lines });
    }
    collectImport(node, lineAt, found.imports);
    const global = globalUse(node);
    if (global !== undefined) found.globals.push({ what: global, line: lineAt(node) });
    const loose = looseUse(node);
    if (loose !== undefined) found.loose.push({ what: loose, line: lineAt(node) });
  });
  return found;
}

/** The line of a byte offset, from 1. */
function lineCounter(text: string): (offset: number) => number {
  const bytes = Buffer.from(text, 'utf8');
  const breaks: number[] = [];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) breaks.push(at);
  return (offset) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** The span of a module begins at its first token, behind comments and a shebang. */
function leadingBytes(text: string): number {
  const lead = /^(?:#![^\n]*\n)?(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0] ?? '';
  return Buffer.byteLength(lead, 'utf8');
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) visit(value);
  for (const child of Object.values(value)) walk(child, visit);
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string';
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'value' in value ? String(value.value) : '';
}

function collectImport(node: Node, lineAt: (node: Node) => number, imports: ImportSite[]): void {
  const source = node.source as Node | undefined | null;
  if (['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration'].includes(node.type) && source) {
    const specifiers = (node.specifiers ?? []) as Node[];
    const values = specifiers.filter((one) => one.isTypeOnly !== true);
    const typeOnly = node.typeOnly === true || (specifiers.length > 0 && values.length === 0);
    const names = values.map((one) =>
      one.type === 'ImportNamespaceSpecifier' ? '*' : nameOf(one.imported ?? one.local ?? one.orig),
    );
    imports.push({ specifier: nameOf(source), line: lineAt(node), typeOnly, names: typeOnly ? [] : names });
  }
  if (node.type === 'CallExpression' && (node.callee as Node).type === 'Import') {
    const [first] = node.arguments as { expression: Node }[];
    const specifier = first?.expression.type === 'StringLiteral' ? nameOf(first.expression) : '<computed>';
    imports.push({ specifier, line: lineAt(node), typeOnly: false, names: ['*'] });
  }
  if (node.type === 'TsImportType') {
    imports.push({ specifier: nameOf(node.argument), line: lineAt(node), typeOnly: true, names: [] });
  }
}

function globalUse(node: Node): string | undefined {
  if (node.type === 'MemberExpression') {
    const path = `${nameOf(node.object)}.${nameOf(node.property)}`;
    if (CLOCKS_AND_CHANCE.has(path)) return path;
    const object = nameOf(node.object);
    if ((node.object as Node).type === 'Identifier' && EFFECTS.has(object)) return object;
  }
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node;
    if (callee.type === 'Identifier' && EFFECTS.has(nameOf(callee))) return nameOf(callee);
  }
  if (node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && ((node.arguments ?? []) as []).length === 0) {
    return 'new Date()';
  }
  return undefined;
}

function looseUse(node: Node): string | undefined {
  switch (node.type) {
    case 'TsKeywordType':
      return node.kind === 'any' ? 'any' : undefined;
    case 'TsNonNullExpression':
      return '!';
    case 'TsAsExpression': {
      const inner = node.expression as Node;
      const type = inner.typeAnnotation as Node | undefined;
      return inner.type === 'TsAsExpression' && type?.kind === 'unknown' ? 'as unknown as' : undefined;
    }
    case 'TsEnumDeclaration':
      return 'enum';
    case 'TsModuleDeclaration':
      return 'namespace';
    case 'ExportDefaultDeclaration':
    case 'ExportDefaultExpression':
      return 'export default';
    case 'MemberExpression':
      return nameOf(node.object) === 'console' ? 'console' : undefined;
    case 'CatchClause':
      return ((node.body as Node).stmts as []).length === 0 ? 'empty catch' : undefined;
    default:
      return undefined;
  }
}
