/** The types of rows that answers are made of: their fields, which of them are in the default set, and how each is read. */
import type { ListName } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import type { Call } from './call.js';

export interface Field<Row> {
  /** As documentation names it: `string`, `int`, `datetime`, `list<string>`, `Page` … */
  readonly type: string;
  readonly description: string;
  /** In the default set. */
  readonly isDefault?: true;
  /** Fields of the row's data with ids of objects that are read. */
  readonly follows?: readonly string[];
  /** A counter, or the size of an edge, that is read: of the row, or of what its field `via` names. */
  readonly counts?: { readonly counter: string; readonly via?: string } | { readonly edge: ListName };
  /** `undefined` leaves the key out. A `Ref` or `Refs` is rendered with the fields asked for it. */
  readonly read: (row: Row, call: Call) => unknown;
}

/** A field of the conventions that has no value here: asking for it is no error, and the key is left out. */
export const absent = (type: string, description: string): Field<unknown> => ({
  type,
  description,
  read: () => undefined,
});

/** A field of the default set. */
export const byDefault = <Row>(type: string, description: string, read: Field<Row>['read']): Field<Row> => ({
  type,
  description,
  isDefault: true,
  read,
});

/** Another node inside an answer. It names its type, which the registry knows; `fields` are read when braces ask for none. */
export class Ref {
  readonly node: GraphNode;
  readonly row: unknown;
  readonly fields: readonly string[] | undefined;
  constructor(node: GraphNode, row: unknown, fields?: readonly string[]) {
    this.node = node;
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

export interface NodeType {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  /** Names of the default set. */
  readonly defaults: readonly string[];
  readonly idOf: (row: unknown) => string | undefined;
  /** Set for types with an id of their own in the graph: these have edges too. */
  readonly node: GraphNode | undefined;
  /** The default set at once, for lists that are read often. */
  readonly renderDefault: ((row: unknown, call: Call) => object) | undefined;
}

export interface NodeTypeShape<Row> {
  readonly typeName: string;
  /** Rows without an id (captions) give `undefined`. */
  readonly idOf: (row: Row) => string | undefined;
  readonly fields: Readonly<Record<string, Field<Row>>>;
  readonly node?: GraphNode;
  readonly renderDefault?: (row: Row, call: Call) => object;
}

export function defineNodeType<Row>(shape: NodeTypeShape<Row>): NodeType {
  const fields = new Map<string, Field<unknown>>();
  for (const [name, field] of Object.entries(shape.fields)) {
    fields.set(name, { ...field, read: (row, call) => field.read(row as Row, call) });
  }
  const { typeName, node, renderDefault } = shape;
  return {
    typeName,
    fields,
    defaults: [...fields].filter(([, field]) => field.isDefault).map(([name]) => name),
    idOf: (row) => shape.idOf(row as Row),
    node,
    renderDefault: renderDefault && ((row, call) => renderDefault(row as Row, call)),
  };
}
