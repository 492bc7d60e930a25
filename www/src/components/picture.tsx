// Buttons that save the chart in whose frame they stand.

import { useRef, useState } from "preact/hooks";
import { pngOf, svgOf } from "../charts/picture";
import { download } from "../download";
import { useTexts } from "../i18n";
import { steady } from "./steady";

export const Picture = steady(({ name }: { name: string }) => {
  const t = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const save = async (kind: "png" | "svg") => {
    const chart = place.current?.parentElement;
    if (!chart) return;
    setBusy(true);
    try {
      const blob = await (kind === "png" ? pngOf(chart) : svgOf(chart));
      download(`${name}.${kind}`, blob, blob.type);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div ref={place} class="picture">
      {(["png", "svg"] as const).map((kind) => (
        <button key={kind} type="button" class="small" disabled={busy} aria-label={`${t.picture.save}: ${t.picture[kind]}`} title={`${t.picture.save}: ${t.picture[kind]}`} onClick={() => void save(kind)}>
          {t.picture[kind]}
        </button>
      ))}
    </div>
  );
});
