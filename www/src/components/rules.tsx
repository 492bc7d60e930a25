// The user's own rules for categories: kept in the settings, judged by the core.

import { useState } from "preact/hooks";
import { CoreError } from "../core/client";
import { useTexts } from "../i18n";
import { setRules } from "../state/files";
import { useSettings } from "../state/settings";
import { where } from "./problems";

const EXAMPLE = "kv_cache function ^allocate_slots$";

export function Rules() {
  const t = useTexts();
  const { rules } = useSettings();
  const [text, setText] = useState(rules);
  const [told, setTold] = useState<{ good: boolean; words: string; detail: string } | null>(null);
  const apply = async () => {
    try {
      await setRules(text);
      setTold({ good: true, words: t.help.rulesTaken, detail: "" });
    } catch (thrown) {
      const wire = thrown instanceof CoreError ? thrown.wire : null;
      setTold({ good: false, words: t.help.rulesWrong(wire ? where(wire.position, t) : ""), detail: wire?.message ?? String(thrown) });
    }
  };
  return (
    <details>
      <summary>{t.help.rules}</summary>
      <p class="faint">{t.help.rulesMeans}</p>
      <textarea class="code" rows={4} spellcheck={false} aria-label={t.help.rules} placeholder={EXAMPLE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="row">
        <button type="button" onClick={() => void apply()}>
          {t.help.rulesApply}
        </button>
        <span role="status">{told?.words}</span>
      </div>
      {told?.detail && <p class="problem-words mono">{told.detail}</p>}
    </details>
  );
}
