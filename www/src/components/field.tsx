// Fields that people type into. What is not understood stays as it was typed, is marked, and says what is
// expected: a field that empties itself, or filters by nothing, leaves one guessing.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useTexts } from "../i18n";
import { typedNumber, typedWhole } from "../typed";

/** What is said beside a field; `expected` is null as long as there is nothing to say. */
function Expected({ id, expected }: { id: string; expected: string | null }) {
  return expected === null ? null : (
    <span id={id} class="expected" aria-live="polite">
      {expected}
    </span>
  );
}

const marks = (id: string, expected: string | null) => (expected === null ? {} : ({ "aria-invalid": true, "aria-describedby": id } as const));

/** A field of a filter, its label above it. `isBad`: the text is not understood, and `expected` says what would be. */
export function Field(props: { label: string; text: string; onText: (text: string) => void; kind?: string; isBad?: boolean; expected?: string }) {
  const id = useId();
  const expected = props.isBad ? (props.expected ?? "") : null;
  return (
    <label class="field">
      <span class="faint" id={`${id}-label`}>
        {props.label}
      </span>
      <input type="search" class={props.kind ?? "short"} value={props.text} aria-labelledby={`${id}-label`} {...marks(id, expected)} onInput={(event) => props.onText(event.currentTarget.value)} />
      <Expected id={id} expected={expected} />
    </label>
  );
}

/** A whole number within bounds, taken over when it is left: until it is understood, the one before holds. */
export function WholeNumber(props: { value: number | null; from: number; to: number; onValue: (value: number) => void; label?: string; children?: ComponentChildren }) {
  const t = useTexts();
  const id = useId();
  // What is no number at all comes as an empty text, and stays where it was typed.
  const [typed, setTyped] = useState<string | null>(null);
  const [of, setOf] = useState(props.value);
  // Moved from elsewhere: what was typed is over.
  if (of !== props.value) (setOf(props.value), setTyped(null));
  const value = typed === null ? props.value : typedWhole(typed, props.from, props.to);
  const expected = typed !== null && typeof value !== "number" ? t.typed.whole(props.from, props.to) : null;
  return (
    <>
      <label class="row">
        {props.children}
        <input
          type="number"
          step={1}
          min={props.from}
          max={props.to}
          aria-label={props.label}
          value={typed ?? props.value ?? ""}
          {...marks(id, expected)}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => {
            const whole = typedWhole(event.currentTarget.value, props.from, props.to);
            if (typeof whole !== "number") return;
            setTyped(null);
            props.onValue(whole);
          }}
        />
      </label>
      <Expected id={id} expected={expected} />
    </>
  );
}

/** Gibibytes, which need not be whole; nothing typed is null. */
export function Gibibytes({ label, text, onText }: { label: string; text: string; onText: (text: string) => void }) {
  const t = useTexts();
  const id = useId();
  const expected = gibibytes(text) === undefined ? t.typed.positive : null;
  return (
    <div class="row toolbar">
      <label class="row">
        {label}
        <input type="text" inputMode="decimal" class="short" value={text} {...marks(id, expected)} onInput={(event) => onText(event.currentTarget.value)} />
      </label>
      <Expected id={id} expected={expected} />
    </div>
  );
}

/** The bytes of what is typed as gibibytes. */
export function gibibytes(text: string): number | null | undefined {
  const value = typedNumber(text, 0);
  return typeof value === "number" ? (value > 0 && value < 2 ** 22 ? Math.round(value * 2 ** 30) : undefined) : value;
}
