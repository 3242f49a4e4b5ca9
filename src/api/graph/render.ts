/** From rows to the JSON of answers, by the fields asked for. Keys keep the order of the request; `id` comes last unasked. */

import { isRecord } from '../../lib/objects.js';
import type { StoredObject } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { Selection } from '../params/fields.js';
import { parseParams } from '../params/parse.js';
import { mergeParams, noParams, type RawParams } from '../params/raw.js';
import type { Call } from './call.js';
import type { Edge, EdgeRead } from './edge.js';
import { type Kind, Ref, Refs } from './node-type.js';
import { type ListAddress, type Paging, pagingEnvelope, parsePaging, withTimeWords } from './paging.js';

type Json = Record<string, unknown>;

const plainSelections = new Map<string, Selection>();

/** A field with neither braces nor modifiers. */
function plain(name: string): Selection {
  let selection = plainSelections.get(name);
  if (!selection) {
    selection = { name, alias: name, modifiers: {}, children: undefined, childText: undefined };
    plainSelections.set(name, selection);
  }
  return selection;
}

/** @throws ServiceError 100 for a field that the kind does not have, 200 for an edge that the token may not read */
export async function renderRow(
  kind: Kind,
  row: unknown,
  selections: readonly Selection[] | undefined,
  call: Call,
  given: readonly string[] = kind.given,
): Promise<Json> {
  const turn = call.work.turn();
  if (turn) await turn;
  if (selections === undefined && kind.whole && given === kind.given) return renderWhole(kind.whole, row, call);
  const out: Json = {};
  const waiting: Promise<void>[] = [];
  let bytes = ROW_BYTES;
  for (const selection of selections ?? given.map(plain)) {
    bytes += selection.alias.length + KEY_BYTES;
    // The key is set now, so that keys stand in the order of the request; JSON leaves undefined ones out.
    out[selection.alias] = undefined;
    const value = renderField(kind, row, selection, call);
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
  // Also for fields without a value: they cost as much work.
  call.work.addBytes(bytes);
  if (waiting.length > 0) await Promise.all(waiting);
  if (!('id' in out)) {
    const id = kind.idOf(row);
    if (id !== undefined) out.id = id;
  }
  return out;
}

/** `"":,` around each key; braces and an id that was not asked for. */
const KEY_BYTES = 4;
const ROW_BYTES = 32;

function renderWhole(whole: NonNullable<Kind['whole']>, row: unknown, call: Call): Json {
  const out = whole(row, call) as Json;
  call.work.addBytes(jsonBytes(out));
  return out;
}

function jsonBytes(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value).length;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function renderField(kind: Kind, row: unknown, selection: Selection, call: Call): unknown {
  const field = kind.fields.get(selection.name);
  if (field === undefined) return renderNestedEdge(kind, row, selection, call);
  const value = field.read(row, call);
  if (value instanceof Promise) return value.then((settled) => renderValue(settled, selection, call));
  return renderValue(value, selection, call);
}

function renderValue(value: unknown, selection: Selection, call: Call): unknown {
  if (value === null) return undefined;
  if (value instanceof Ref) return renderRow(value.kind, value.row, selection.children, call, value.fields);
  if (value instanceof Refs) {
    return Promise.all(value.refs.map((ref) => renderRow(ref.kind, ref.row, selection.children, call, ref.fields)));
  }
  const given = selection.children === undefined ? value : pick(value, selection.children);
  call.work.addBytes(jsonBytes(given));
  return given;
}

/** Braces on a plain object choose among its keys. */
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

function nestedEdge(kind: Kind, name: string, call: Call) {
  const found = kind.node === undefined ? undefined : call.services.graph.edge(kind.node, name);
  if (found === undefined) {
    throw parameterError(`Tried accessing nonexisting field (${name}) on node type (${kind.typeName})`);
  }
  return found;
}

/** Holds fields against a kind of which there is no row yet. @throws ServiceError 100 */
export function checkSelections(kind: Kind, selections: readonly Selection[], call: Call): void {
  for (const { name, modifiers, children } of selections) {
    if (kind.fields.has(name)) continue;
    const { edge } = nestedEdge(kind, name, call);
    const params = mergeParams(noParams(), modifiers);
    parsePaging(params, call.nowMs);
    parseParams(edge.params, withTimeWords(params, call.nowMs));
    if (children !== undefined) checkSelections(edge.row, children, call);
  }
}

async function renderNestedEdge(kind: Kind, row: unknown, selection: Selection, call: Call): Promise<unknown> {
  const found = nestedEdge(kind, selection.name, call);
  const owner = row as StoredObject;
  await call.access.check(found.key, owner);
  const params = mergeParams(noParams(), selection.modifiers);
  const address = { path: `${owner.id}/${selection.name}`, params: { ...params, fields: selection.childText } };
  const list = await renderEdge(found.edge, owner, params, selection.children, call, address);
  return list.data.length === 0 && list.summary === undefined && !list.paging ? undefined : list;
}

export interface ListBody {
  readonly data: readonly Json[];
  readonly paging?: object;
  readonly summary?: object;
}

export async function renderEdge(
  edge: Edge,
  owner: StoredObject,
  raw: RawParams,
  selections: readonly Selection[] | undefined,
  call: Call,
  address: ListAddress,
): Promise<ListBody> {
  const paging = parsePaging(raw, call.nowMs);
  const params = parseParams(edge.params, withTimeWords(raw, call.nowMs));
  const read: EdgeRead<unknown, typeof params> = { call, owner, paging, params };
  const [rows, summary] = await call.work.read(() => Promise.all([edge.read(read), renderSummary(edge, read, paging)]));
  call.work.addRows(rows.rows.length);
  const { whole } = edge.row;
  const data =
    selections === undefined && whole
      ? rows.rows.map(({ row }) => renderWhole(whole, row, call))
      : await Promise.all(rows.rows.map(({ row }) => renderRow(edge.row, row, selections, call)));
  const links = pagingEnvelope(rows, paging.limit, address, call);
  // A link repeats the fields of its list, in every row that has the list.
  call.work.addBytes(EDGE_BYTES + jsonBytes(links) + jsonBytes(summary));
  return { data, ...(links ? { paging: links } : {}), ...(summary ? { summary } : {}) };
}

/** `{"data":[],"paging":,"summary":}` */
const EDGE_BYTES = 32;

/** The same as JSON text, where the edge has its rows so. */
export async function renderEdgeText(
  edge: Edge,
  owner: StoredObject,
  raw: RawParams,
  call: Call,
  address: ListAddress,
): Promise<string | undefined> {
  if (edge.text === undefined) return undefined;
  const paging = parsePaging(raw, call.nowMs);
  if (paging.summary) return undefined;
  const params = parseParams(edge.params, withTimeWords(raw, call.nowMs));
  const { text } = edge;
  const rows = await call.work.read(() => text({ call, owner, paging, params }));
  call.work.addBytes(Buffer.byteLength(rows.json));
  const links = pagingEnvelope(rows, paging.limit, address, call);
  return `{"data":[${rows.json}]${links ? `,"paging":${JSON.stringify(links)}` : ''}}`;
}

async function renderSummary(
  edge: Edge,
  read: EdgeRead<unknown, Record<string, unknown>>,
  paging: Paging,
): Promise<Json | undefined> {
  if (!edge.summary || !paging.summary) return undefined;
  const { given, fields } = edge.summary;
  const asked = paging.summary === true ? given : paging.summary;
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

/** `metadata=1`: what the node has. */
export function metadataOf(kind: Kind, id: string, call: Call): object {
  const edges = kind.node === undefined ? [] : call.services.graph.edgesOf(kind.node);
  return {
    fields: [...kind.fields].map(([name, field]) => ({ name, description: field.description, type: field.type })),
    type: kind.typeName.toLowerCase(),
    connections: Object.fromEntries(edges.map((edge) => [edge, `${call.origin}/${call.version}/${id}/${edge}`])),
  };
}
