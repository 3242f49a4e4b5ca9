/** A store whose calls are spans, in a process that exports traces. Calls outside of a publish, a job or a request are none. */
import { defined } from '../../lib/objects.js';
import { inChildSpan } from '../../lib/spans.js';
import type { Store } from '../../ports/index.js';

export function tracedStore(store: Store): Store {
  const traced = <Part extends object>(part: Part, name: string): Part => withSpans(part, name, store.name);
  return {
    objects: traced(store.objects, 'objects'),
    records: traced(store.records, 'records'),
    leases: traced(store.leases, 'leases'),
    volatile: traced(store.volatile, 'volatile'),
    bus: store.bus,
    isShared: store.isShared,
    spansMachines: store.spansMachines,
    name: store.name,
    ...defined({ client: store.client }),
    ping: () => store.ping(),
    onAvailability: (listener) => store.onAvailability(listener),
    close: () => store.close(),
  };
}

/** Every method of these parts is asynchronous. */
function withSpans<Part extends object>(part: Part, name: string, system: string): Part {
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(part, {
    get(_target, key) {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(part, key, part);
      if (typeof value !== 'function' || typeof key !== 'string') return value;
      const operation = `${name}.${key}`;
      const attributes = { 'db.system.name': system, 'db.operation.name': operation };
      const method = (...args: unknown[]) =>
        inChildSpan(operation, { kind: 'client', attributes }, async () => Reflect.apply(value, part, args));
      methods.set(key, method);
      return method;
    },
  });
}
