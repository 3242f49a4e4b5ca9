/** The kinds of rows that answers are made of: their fields, which of them are given unasked, and how each is read. */
import type { GraphNode } from '../../spec/graph.js';
import type { Call } from './call.js';

export interface Field<Row> {
  /** As documentation names it: `string`, `int`, `datetime`, `list<string>`, `Page` … */
  readonly type: string;
  readonly description: string;
  /** In the default set. */
  readonly given?: true;
  /** Fields of the row's data with ids of objects that are read. */
  readonly follows?: readonly string[];
  /** A counter, or the size of an edge, that is read: of the row, or of what its field `via` names. */
  readonly counts?: { readonly counter: string; readonly via?: string } | { readonly edge: string };
  /** `undefined` leaves the key out. A `Ref` or `Refs` is rendered with the fields asked for it. */
  readonly read: (row: Row, call: Call) => unknown;
}

/** A field of the conventions that has no value here: asking for it is no error, and the key is left out. */
export const absent = (type: string, description: string): Field<unknown> => ({
  type,
  description,
  read: () => undefined,
});

/** Another row inside an answer; `fields` are given when no braces ask for others. */
export class Ref {
  readonly kind: Kind;
  readonly row: unknown;
  readonly fields: readonly string[] | undefined;
  constructor(kind: Kind, row: unknown, fields?: readonly string[]) {
    this.kind = kind;
    this.row = row;
    this.fields = fields;
  }
}

/** A bare array of rows, as the list *fields* (not edges) of the conventions are. */
export class Refs {
  readonly refs: readonly Ref[];
  constructor(refs: readonly Ref[]) {
    this.refs = refs;
  }
}

export interface Kind {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  readonly given: readonly string[];
  readonly idOf: (row: unknown) => string | undefined;
  /** Set for kinds with an id of their own in the graph: these have edges too. */
  readonly node: GraphNode | undefined;
  /** The default set at once, for lists that are read often. */
  readonly whole: ((row: unknown, call: Call) => object) | undefined;
}

export interface KindShape<Row> {
  readonly typeName: string;
  /** Rows without an id (captions) give `undefined`. */
  readonly idOf: (row: Row) => string | undefined;
  readonly fields: Readonly<Record<string, Field<Row>>>;
  readonly node?: GraphNode;
  readonly whole?: (row: Row, call: Call) => object;
}

export function defineKind<Row>(shape: KindShape<Row>): Kind {
  const fields = new Map<string, Field<unknown>>();
  for (const [name, field] of Object.entries(shape.fields)) {
    fields.set(name, { ...field, read: (row, call) => field.read(row as Row, call) });
  }
  return {
    typeName: shape.typeName,
    fields,
    given: [...fields].filter(([, field]) => field.given).map(([name]) => name),
    idOf: (row) => shape.idOf(row as Row),
    node: shape.node,
    whole: shape.whole === undefined ? undefined : (row, call) => shape.whole?.(row as Row, call) ?? {},
  };
}
