/** Row types of responses: their fields, the default set, and how each field is read. */
import type { ListName } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import type { Call } from './call.js';
import type { ObjectKeys } from './object-keys.js';

export interface Field<Row> {
  /** Documented type: `string`, `int`, `datetime`, `list<string>`, `Page` … */
  readonly type: string;
  readonly description: string;
  /** Whether the field is in the default set. */
  readonly isDefault?: true;
  /** The scope `operator_read` permits it too, on every object. */
  readonly operators?: true;
  /** Keys that a plain object can have. Absent: subfields are not checked. */
  readonly keys?: ObjectKeys;
  /** Fields of the row's data with ids of objects that `read` loads. */
  readonly follows?: readonly string[];
  /** A counter or edge size that `read` uses: of the row, or of the object whose id is in its field `via`. */
  readonly counts?: { readonly counter: string; readonly via?: string } | { readonly edge: ListName };
  /** `undefined` omits the key. A `Ref` or `Refs` is rendered with the requested subfields. */
  readonly read: (row: Row, call: Call) => unknown;
}

/** A field of the conventions without a value here: requesting it is not an error, and the key is omitted. */
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

/** A reference to another node in a response. `fields` are rendered when the request gives no braces. */
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

/** A bare array of rows, as list *fields* (not edges) have in the conventions. */
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
  /** Set for types that are nodes of the graph, which have edges. */
  readonly node: GraphNode | undefined;
}

export interface NodeTypeShape<Row> {
  readonly typeName: string;
  /** Rows without an id (captions) give `undefined`. */
  readonly idOf: (row: Row) => string | undefined;
  readonly fields: Readonly<Record<string, Field<Row>>>;
  readonly node?: GraphNode;
}

export function defineNodeType<Row>(shape: NodeTypeShape<Row>): NodeType {
  const fields = new Map<string, Field<unknown>>();
  for (const [name, field] of Object.entries(shape.fields)) {
    fields.set(name, { ...field, read: (row, call) => field.read(row as Row, call) });
  }
  const { typeName, node } = shape;
  return {
    typeName,
    fields,
    defaults: [...fields].filter(([, field]) => field.isDefault).map(([name]) => name),
    idOf: (row) => shape.idOf(row as Row),
    node,
  };
}
