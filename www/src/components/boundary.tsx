// A view that fails shows its error in its place; the rest of the page goes on.

import { Component } from "preact";
import type { ComponentChildren, ComponentType } from "preact";
import type { WireError } from "../core/protocol";

interface Props {
  title: string;
  Problem: ComponentType<{ error: WireError; title: string }>;
  children: ComponentChildren;
}

export class Boundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render({ title, Problem, children }: Props) {
    const { error } = this.state;
    if (!error) return children;
    return <Problem title={title} error={{ kind: "trap", message: error.message, position: null, hint: null, estimate: null }} />;
  }
}
