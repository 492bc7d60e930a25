// Small pieces that every view uses: figures with their exact value, copy buttons, cards, tables.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { bytes, exactBytes, middle } from "../format";
import type { Message } from "../core/protocol";
import { useTexts } from "../i18n";
import { ruleText } from "../i18n/rules";
import { useSettings } from "../state/settings";

/** A size in binary units; the exact number of bytes on hover. */
export function Size({ of }: { of: number | null | undefined }) {
  if (of === null || of === undefined) return <span class="faint">–</span>;
  return (
    <span class="figure" title={exactBytes(of)}>
      {bytes(of)}
    </span>
  );
}

/** Copies a text: a stack, an address. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const t = useTexts();
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // file:// pages and plain intranet hosts have no clipboard interface: the old way works there.
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "offscreen";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="quiet small" onClick={() => void copy()} aria-live="polite">
      {done ? t.app.copied : (label ?? t.app.copy)}
    </button>
  );
}

/** A long name cut in its middle, whole on hover and on paper. */
export function Name({ text, most = 48 }: { text: string; most?: number }) {
  const isCut = text.length > most;
  return (
    <span title={isCut ? text : undefined} data-whole={isCut ? text : undefined}>
      {middle(text, most)}
    </span>
  );
}

export function Card({ label, children, note }: { label: string; children: ComponentChildren; note?: ComponentChildren }) {
  return (
    <div class="card">
      <div class="card-label">{label}</div>
      <div class="card-value">{children}</div>
      {note !== undefined && <div class="card-note">{note}</div>}
    </div>
  );
}

/** Names with what stands for them, as the list of a class. */
export function Pairs({ of, kind }: { of: readonly (readonly [string, ComponentChildren])[]; kind: string }) {
  return (
    <dl class={kind}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Section({ title, children, aside, id }: { title: string; children: ComponentChildren; aside?: ComponentChildren; id?: string }) {
  return (
    <section class="section" aria-label={title} id={id}>
      <div class="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/**
 * What is made in a task of its own, after what stands before it: nothing may hold the page up for long.
 * `room` is its height, so that nothing below it jumps.
 */
export function Later({ room = 0, children }: { room?: number; children: ComponentChildren }) {
  const [now, setNow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setNow(true));
    return () => clearTimeout(timer);
  }, []);
  return now ? <>{children}</> : <div style={{ height: `${room}px` }} />;
}

/** One choice of a few, as a row of buttons. */
export function Choice<T extends string>(props: { label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void }) {
  return (
    <div class="choice" role="radiogroup" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button
          key={value}
          type="button"
          role="radio"
          aria-checked={value === props.value}
          class={value === props.value ? "chosen" : ""}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Time or events along the bottom. */
export function AxisChoice({ value, onChange }: { value: "event" | "time"; onChange: (value: "event" | "time") => void }) {
  const t = useTexts();
  return (
    <Choice
      label={t.curves.axis}
      value={value}
      onChange={onChange}
      options={[
        ["time", t.curves.byTime],
        ["event", t.curves.byEvent],
      ]}
    />
  );
}

/** What a table scrolls in, where it is too wide or too long: then it can be reached by Tab. */
export function TableFrame({ tall = false, children }: { tall?: boolean; children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight));
    watch.observe(element);
    if (element.firstElementChild) watch.observe(element.firstElementChild);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={frame} class={tall ? "table-frame tall" : "table-frame"} {...(scrolls ? { tabIndex: 0 } : {})}>
      {children}
    </div>
  );
}

/** A plain table. The first column is text, the others figures, unless said otherwise. */
export function Table(props: { head: readonly string[]; rows: readonly (readonly ComponentChildren[])[]; text?: readonly number[]; label?: string }) {
  const isText = (column: number) => (props.text ?? [0]).includes(column);
  return (
    <TableFrame>
      <table aria-label={props.label}>
        <thead>
          <tr>
            {props.head.map((name, i) => (
              <th key={i} scope="col" class={isText(i) ? "" : "number"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, i) => (
                <td key={i} class={isText(i) ? "" : "number"}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** A modal window. Esc and a click beside it close it, where it can be closed. */
export function Dialog({ title, children, onClose }: { title: string; children: ComponentChildren; onClose?: () => void }) {
  const t = useTexts();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === element.current && onClose?.()}
    >
      <div class="dialog-body">
        <div class="section-head">
          <h2>{title}</h2>
          {onClose && (
            <button type="button" class="quiet" onClick={onClose} aria-label={t.app.close}>
              ✕
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** A sentence of the core, in the page's language. */
/** Why a life has its category: what the core found, else the rule in words. */
export function Why({ evidence, rule }: { evidence: Message | null; rule: string }) {
  const { language } = useSettings();
  if (evidence) return <Say message={evidence} />;
  const text = ruleText(rule, language);
  return text === undefined ? <code>{rule}</code> : <span title={rule}>{text}</span>;
}

export function Say({ message }: { message: Message }) {
  const { language } = useSettings();
  return <>{message[language]}</>;
}
