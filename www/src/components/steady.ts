// Spares rendering what did not change: a window that moves renders its view dozens of times a second.

import { Component, h } from "preact";
import type { ComponentChildren, ComponentClass, FunctionComponent } from "preact";
import { useRef } from "preact/hooks";

/**
 * The component, rendered again only with other props. Handlers among them have to stay the same. (`memo` of
 * preact/compat does it too, but importing that changes what every input of the page listens to.)
 */
export function steady<P extends object>(Inner: FunctionComponent<P>): ComponentClass<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as P;
      return Object.keys({ ...now, ...next }).some((name) => now[name as keyof P] !== next[name as keyof P]);
    }
    override render(): ComponentChildren {
      return h(Inner as FunctionComponent<object>, this.props);
    }
  };
}

/** A handler that stays the same, and does what the one of the last rendering does. */
export function useHandler<A extends unknown[]>(handler: (...values: A) => void): (...values: A) => void {
  const latest = useRef(handler);
  latest.current = handler;
  return useRef((...values: A) => latest.current(...values)).current;
}

/** The list of the last rendering, where this one holds the same. */
export function useSame<T>(list: readonly T[]): readonly T[] {
  const kept = useRef(list);
  if (kept.current.length !== list.length || kept.current.some((each, i) => each !== list[i])) kept.current = list;
  return kept.current;
}
