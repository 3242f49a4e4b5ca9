/**
 * Renders rows as JSON with the requested fields. Keys are in request order; an `id` that was not requested comes last.
 */
import { isRecord } from '../../lib/objects.js';
import type { StoredObject } from '../../ports/index.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import type { Selection } from '../params/fields.js';
import { parseParams } from '../params/parse.js';
import { mergeParams, noParams, type RawParams } from '../params/raw.js';
import type { Call } from './call.js';
import type { Edge, EdgeRead } from './edge.js';
import { type Field, type NodeType, Ref, Refs } from './node-type.js';
import { checkKeys, noSubfields, noSuchField } from './object-keys.js';
import { type ListAddress, type Paging, pagingEnvelope, parsePaging, withTimeWords } from './paging.js';
import type { Registry } from './registry.js';

type Json = Record<string, unknown>;

/** A field with neither braces nor modifiers. */
const plain = (name: string): Selection => ({
  name,
  alias: name,
  modifiers: {},
  children: undefined,
  childText: undefined,
});

/** Overhead per key (`"":,`) and per row (braces and an implicit id). */
const KEY_BYTES = 4;
const ROW_BYTES = 32;
/** `{"data":[],"paging":,"summary":}` */
const EDGE_BYTES = 32;

export interface ListBody {
  readonly data: readonly Json[];
  readonly paging?: object;
  readonly summary?: object;
  readonly warnings?: readonly object[];
}

/** Renders the rows of one call. */
export class Renderer {
  readonly #graph: Registry;
  readonly #call: Call;

  constructor(graph: Registry, call: Call) {
    this.#graph = graph;
    this.#call = call;
  }

  /** @throws ServiceError 100 for a field that the type does not have, 200 for an edge that the token may not read */
  async row(
    type: NodeType,
    row: unknown,
    selections: readonly Selection[] | undefined,
    defaults: readonly string[] = type.defaults,
  ): Promise<Json> {
    const { method, work } = this.#call;
    await (method === 'GET' ? work.admission() : work.turn());
    const out: Json = {};
    const waiting: Promise<void>[] = [];
    const asked = selections ?? defaults.map(plain);
    work.addValues(asked.length);
    // Fields without a value count too: they cost the same work.
    work.addBytes(asked.reduce((sum, { alias }) => sum + alias.length + KEY_BYTES, ROW_BYTES));
    for (const selection of asked) {
      // Set the key now to keep request order; JSON omits undefined values.
      out[selection.alias] = undefined;
      const value = this.#field(type, row, selection);
      if (value instanceof Promise) {
        waiting.push(
          value.then((settled) => {
            out[selection.alias] = settled;
          }),
        );
      } else {
        out[selection.alias] = value;
      }
    }
    if (waiting.length > 0) await Promise.all(waiting);
    if (!('id' in out)) {
      const id = type.idOf(row);
      if (id !== undefined) out.id = id;
    }
    return out;
  }

  /**
   * The value, or a promise where it has to be waited for: a promise for each would take three times as long for a page of error
   * records (docs/decisions/0026-one-path-of-a-read.md). Never throws: the faults of fields before it would then be unhandled.
   */
  #field(type: NodeType, row: unknown, selection: Selection): unknown {
    try {
      const field = type.fields.get(selection.name);
      if (field === undefined) return this.#nestedEdge(type, row, selection);
      if (selection.children !== undefined) checkSubfields(field, selection.name, selection.children);
      const value = field.read(row, this.#call);
      if (value instanceof Promise) return value.then((settled) => this.#value(settled, field, selection));
      return this.#value(value, field, selection);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #value(value: unknown, field: Field<unknown>, selection: Selection): unknown {
    // A reference checks its fields when it is rendered; one that is not there would take any.
    if (value === null || value === undefined) {
      if (selection.children !== undefined) this.#checkReference(field, selection.children);
      return undefined;
    }
    if (value instanceof Ref) return this.#ref(value, selection);
    if (value instanceof Refs) return Promise.all(value.refs.map((ref) => this.#ref(ref, selection)));
    const picked = selection.children === undefined ? value : pick(value, selection.children);
    this.#call.work.addBytes(jsonBytes(picked));
    return picked;
  }

  #ref({ node, row, fields }: Ref, { children }: Selection): Promise<Json> {
    return this.row(this.#graph.nodeType(node), row, children, fields);
  }

  /** Validates fields against a type before a row exists. @throws ServiceError 100 */
  checkSelections(type: NodeType, selections: readonly Selection[]): void {
    const { nowMs } = this.#call;
    for (const { name, modifiers, children } of selections) {
      const field = type.fields.get(name);
      if (field !== undefined && children !== undefined) {
        checkSubfields(field, name, children);
        this.#checkReference(field, children);
      }
      if (field !== undefined) continue;
      const { edge } = this.#edgeOf(type, name);
      const params = mergeParams(noParams(), modifiers);
      parsePaging(params, nowMs);
      parseParams(edge.params, withTimeWords(params, nowMs));
      if (children !== undefined) this.checkSelections(this.#graph.rowType(edge), children);
    }
  }

  /** An owner may be of several types: one that has all fields is enough while it is not known. @throws ServiceError 100 */
  #checkReference({ type: documented }: Field<unknown>, children: readonly Selection[]): void {
    let fault: unknown;
    for (const type of this.#graph.typesNamed(documented.replace(LIST_OF, '$1'))) {
      try {
        this.checkSelections(type, children);
        return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        fault ??= error;
      }
    }
    if (fault !== undefined) throw fault;
  }

  #edgeOf(type: NodeType, name: string) {
    const found = type.node === undefined ? undefined : this.#graph.edge(type.node, name);
    if (found === undefined) {
      throw noSuchField(name, type.typeName);
    }
    return found;
  }

  async #nestedEdge(type: NodeType, row: unknown, selection: Selection): Promise<unknown> {
    const { rule, edge } = this.#edgeOf(type, selection.name);
    const owner = row as StoredObject;
    await this.#call.access.check(rule, owner);
    const params = mergeParams(noParams(), selection.modifiers);
    const address = { path: `${owner.id}/${selection.name}`, params: { ...params, fields: selection.childText } };
    const list = await this.edge(edge, owner, params, selection.children, address);
    return list.data.length === 0 && !list.summary && !list.paging && !list.warnings ? undefined : list;
  }

  async edge(
    edge: Edge,
    owner: StoredObject,
    raw: RawParams,
    selections: readonly Selection[] | undefined,
    address: ListAddress,
  ): Promise<ListBody> {
    const call = this.#call;
    const { work } = call;
    const paging = parsePaging(raw, call.nowMs);
    const params = parseParams(edge.params, withTimeWords(raw, call.nowMs));
    const read: EdgeRead<unknown, typeof params> = { call, owner, paging, params };
    const [rows, summary] = await work.read(() => Promise.all([edge.read(read), renderSummary(edge, read, paging)]));
    work.addRows(rows.rows.length);
    const type = this.#graph.rowType(edge);
    // Each row checks its fields; without rows a misspelled one would be found only once there is data.
    if (selections !== undefined && rows.rows.length === 0) this.checkSelections(type, selections);
    const data = await Promise.all(rows.rows.map(({ row }) => this.row(type, row, selections)));
    const links = pagingEnvelope(rows, paging.limit, address, call);
    // Links count: each repeats the fields of its list, in every row.
    const warnings = edge.warnings?.(params) ?? [];
    work.addBytes(EDGE_BYTES + jsonBytes(links) + jsonBytes(summary) + jsonBytes(warnings));
    return {
      data,
      ...(links ? { paging: links } : {}),
      ...(summary ? { summary } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }

  /** `metadata=1`: the node's fields and connections. */
  metadata(type: NodeType, id: string): object {
    const { version } = this.#call;
    const origin = this.#call.originOf();
    const edges = type.node === undefined ? [] : this.#graph.edgesOf(type.node);
    return {
      fields: [...type.fields].map(([name, field]) => ({ name, description: field.description, type: field.type })),
      type: type.typeName.toLowerCase(),
      connections: Object.fromEntries(edges.map((edge) => [edge, `${origin}/${version}/${id}/${edge}`])),
    };
  }
}

/** Types of objects: `object`, names of types (`Page`), and lists of them; all others are scalars. */
const OBJECT_TYPE = /^(?:list<)?(?:object|[A-Z]\w*)>?$/;

const LIST_OF = /^list<(.*)>$/;

/** Types of plain objects without a name of their own: errors call them by their field. */
const UNNAMED_TYPE = /^(?:list<)?object>?$/;

/** @throws ServiceError 100 for subfields of a scalar, and for those that a plain object cannot have */
function checkSubfields({ type, keys }: Field<unknown>, name: string, children: readonly Selection[]): void {
  if (!OBJECT_TYPE.test(type)) throw noSubfields(name);
  if (keys !== undefined) checkKeys(keys, children, UNNAMED_TYPE.test(type) ? name : type);
}

/** Text that JSON holds as it is: printable ASCII without quotes and backslashes. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

function jsonBytes(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'string' && PLAIN_TEXT.test(value)) return value.length + 2;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value).length;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Braces on a plain object select among its keys. */
function pick(value: unknown, children: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, children));
  if (!isRecord(value)) return value;
  const out: Json = {};
  for (const child of children) {
    const inner = value[child.name];
    if (inner !== undefined) out[child.alias] = child.children ? pick(inner, child.children) : inner;
  }
  return out;
}

async function renderSummary(
  edge: Edge,
  read: EdgeRead<unknown, Record<string, unknown>>,
  paging: Paging,
): Promise<Json | undefined> {
  if (!edge.summary || !paging.summary) return undefined;
  const { defaults, fields } = edge.summary;
  const asked = paging.summary === true ? defaults : paging.summary;
  const out: Json = {};
  await Promise.all(
    asked.map(async (name) => {
      const field = fields[name];
      if (field === undefined)
        throw parameterError(`Param summary must be one of {${Object.keys(fields).join(', ')}} - got "${name}".`);
      out[name] = undefined;
      out[name] = await field(read);
    }),
  );
  return out;
}
