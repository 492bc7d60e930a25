// The figures that a verdict on a failed allocation rests on.

import type { OomReport } from "../core/protocol";
import { useTexts } from "../i18n";
import { Card, Size } from "./basics";

export function OomCards({ oom }: { oom: OomReport }) {
  const t = useTexts();
  return (
    <div class={oom.others != null ? "cards by-three" : "cards by-four"}>
      <Card label={t.oom.requested}><Size of={oom.requested} /></Card>
      <Card label={t.oom.deviceFree}><Size of={oom.device_free} /></Card>
      <Card label={t.oom.allocated}><Size of={oom.allocated} /></Card>
      <Card label={t.oom.pending}><Size of={oom.pending} /></Card>
      <Card label={t.oom.reserved}><Size of={oom.reserved} /></Card>
      <Card label={t.oom.cached}><Size of={oom.cached_free} /></Card>
      <Card label={t.oom.usable}><Size of={oom.largest_usable} /></Card>
      <Card label={t.oom.any}><Size of={oom.largest_any} /></Card>
      {oom.others != null && <Card label={t.oom.others}><Size of={oom.others} /></Card>}
    </div>
  );
}
