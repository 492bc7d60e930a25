// A value with listeners, and a hook that re-renders when the part a component looks at changes.

import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  #value: T;
  #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The store's value; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((n) => n + 1);
    // What changed between rendering and this effect would be missed otherwise.
    const before = store.value;
    const stop = store.subscribe(listener);
    if (!Object.is(before, store.value)) listener();
    return stop;
  }, [store]);
  return store.value;
}
