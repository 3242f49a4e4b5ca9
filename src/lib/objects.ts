/** Type guards for unknown values, and removal of undefined properties. */

/** Any object, including an array. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object with named properties: not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** `T` with every property that may be undefined made optional. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits undefined properties, so that they do not count as set. Allocates: not for the packet path. */
export function defined<const T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
