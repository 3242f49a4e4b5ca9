/** Keys of plain objects in responses, which braces select among. */
import { isRecord } from '../../lib/objects.js';
import { parameterError, type ServiceError } from '../../spec/service-errors.js';
import { parseFields, type Selection } from '../params/fields.js';

/** The keys of the object below each key; `undefined` where there is none, `any` where they differ. */
export interface ObjectKeys extends ReadonlyMap<string, ObjectKeys | 'any' | undefined> {}

/** @param text `a,b{c,d}`: the syntax of `fields`; of lists, the keys of their members */
export const objectKeys = (text: string): ObjectKeys => keysOf(parseFields(text) ?? []);

const keysOf = (selections: readonly Selection[]): ObjectKeys =>
  new Map(selections.map(({ name, children }) => [name, children && keysOf(children)]));

/** Keys of an object that always has all of them. */
export const keysOfObject = (value: object): ObjectKeys =>
  new Map(Object.entries(value).map(([name, inner]) => [name, isRecord(inner) ? keysOfObject(inner) : undefined]));

/** @throws ServiceError 100 for a key that the object cannot have, and for subfields of a scalar */
export function checkKeys(keys: ObjectKeys, children: readonly Selection[], typeName: string): void {
  for (const { name, children: below } of children) {
    if (!keys.has(name)) throw noSuchField(name, typeName);
    if (below === undefined) continue;
    const inner = keys.get(name);
    if (inner === undefined) throw noSubfields(name);
    if (inner !== 'any') checkKeys(inner, below, name);
  }
}

export const noSubfields = (name: string): ServiceError => parameterError(`Subfields are not supported by ${name}`);

export const noSuchField = (name: string, typeName: string): ServiceError =>
  parameterError(`Tried accessing nonexisting field (${name}) on node type (${typeName})`);
