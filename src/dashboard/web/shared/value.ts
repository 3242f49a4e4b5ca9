/** An observable value. Listeners are called at most once per frame. */
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';

export class Value<T> {
  #value: T;
  #scheduled = false;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not requestAnimationFrame: a covered dock gets no frames, and would show stale errors when uncovered.
    setTimeout(() => {
      this.#scheduled = false;
      for (const listener of [...this.#listeners]) listener();
    }, 16);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function useValue<T>(value: Value<T>): T {
  const [, again] = useState(0);
  useEffect(() => {
    again((count) => count + 1);
    return value.subscribe(() => again((count) => count + 1));
  }, [value]);
  return value.get();
}

/** A part of the value: the component is drawn again only when that part changed. `select` must be cheap. */
export function useSelected<T, Part>(value: Value<T>, select: (whole: T) => Part): Part {
  const subscribe = useCallback((listener: () => void) => value.subscribe(listener), [value]);
  return useSyncExternalStore(subscribe, () => select(value.get()));
}

/** The wall time, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [nowMs, set] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
