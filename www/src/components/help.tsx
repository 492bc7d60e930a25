// The help window, made from the list of commands.

import { commands, commandsVersion } from "../commands";
import { textOf, useTexts } from "../i18n";
import { change, useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { Dialog } from "./basics";
import { Rules } from "./rules";

const KEY_NAMES = { escape: "Esc", arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓", home: "Home", backspace: "⌫" };

export function Help({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  useStore(commandsVersion);
  const all = commands();
  const { budget } = useSettings();
  const list = (scope: "everywhere" | "view") => all.filter((command) => command.scope === scope);
  return (
    <Dialog title={t.help.title} onClose={onClose}>
      {(["everywhere", "view"] as const).map(
        (scope) =>
          list(scope).length > 0 && (
            <div key={scope}>
              <h3>{scope === "everywhere" ? t.help.everywhere : t.help.inView}</h3>
              <table class="keys">
                <tbody>
                  {list(scope).map((command) => (
                    <tr key={command.id}>
                      <td>
                        {command.keys.map((key) => (
                          <kbd key={key}>{textOf(KEY_NAMES, key, key.toUpperCase())}</kbd>
                        ))}
                      </td>
                      <td>{command.name}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          ),
      )}
      <p class="faint">{t.help.mouse}</p>
      <Rules />
      <label class="row">
        {t.help.settings}
        <select value={String(budget ?? "")} onChange={(event) => change({ budget: Number(event.currentTarget.value) || null })}>
          <option value="">{t.help.settingsAuto}</option>
          {[0.5, 1, 1.5, 2, 3, 3.5, 4].map((gib) => (
            <option key={gib} value={String(gib * 2 ** 30)}>
              {gib} GiB
            </option>
          ))}
        </select>
      </label>
    </Dialog>
  );
}
