// What the core says in words: lists of sentences, and verdicts in the colour of their grade.

import type { Message, Overview } from "../core/protocol";
import { textOf, useTexts } from "../i18n";
import { useSettings } from "../state/settings";
import { Say } from "./basics";

/** Sentences one below the other. */
export function Says({ of }: { of: readonly Message[] }) {
  return (
    <ul class="says">
      {of.map((message, i) => (
        <li key={i}>
          <Say message={message} />
        </li>
      ))}
    </ul>
  );
}

/** Sentences that go on one after the other. */
export function Sentences({ of }: { of: readonly Message[] }) {
  const t = useTexts();
  const { language } = useSettings();
  return <p class="summary">{t.app.sentences(of.map((message) => message[language]))}</p>;
}

/** What was found, and the sentences it rests on; `first` goes before them. */
export function Verdict({ grade, title, reasons, first }: { grade: string; title: string; reasons: readonly Message[]; first?: string }) {
  return (
    <div class={`health ${grade}`}>
      <b>{title}</b>
      <div>
        {first !== undefined && <div>{first}</div>}
        {reasons.map((message, i) => (
          <div key={i}>
            <Say message={message} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The grade of a whole file in one line. `live`: the line may still change. */
export function HealthLine({ overview, live = false }: { overview: Overview; live?: boolean }) {
  const t = useTexts();
  const { grade, reasons } = overview.health;
  return (
    <div class={`health ${grade}`} {...(live ? { role: "status" } : {})}>
      <b>{textOf(t.overview.health, grade)}</b>
      <span>
        {reasons.map((reason, i) => (
          <span key={i}>
            {i > 0 && " · "}
            <Say message={reason} />
          </span>
        ))}
      </span>
    </div>
  );
}
