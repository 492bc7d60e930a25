// Small pieces of a report's sections.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Size } from "../components/basics";
import { deviceName } from "../components/device-figures";
import type { Device } from "../core/protocol";
import { span } from "../format";
import { useTexts } from "../i18n";

/** What is said of each device; with one device no heading is needed. */
export function Each<T>({ of, device, children }: { of: readonly T[]; device: (item: T) => Device; children: (item: T, id: string) => ComponentChildren }) {
  const t = useTexts();
  return (
    <>
      {of.map((item) => {
        const id = String(device(item));
        return (
          <div key={id} class="report-device" data-device={id}>
            {of.length > 1 && <h3 class="report-device-name">{deviceName(device(item), t)}</h3>}
            {children(item, id)}
          </div>
        );
      })}
    </>
  );
}

/** Folded details that something else can open. */
export function Fold({ title, open, children }: { title: ComponentChildren; open?: number; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!open || !element.current) return;
    element.current.open = true;
    element.current.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, [open]);
  return (
    <details ref={element}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Microseconds as time since another moment. */
export const since = (us: number | null | undefined, start: number | null | undefined) => (us === null || us === undefined || start === null || start === undefined ? "" : `+${span((us - start) * 1000)}`);

export const Bytes = Size;
