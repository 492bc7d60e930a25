// How a flame graph stands and what it leaves out: the same choices wherever one is drawn.

import { useTexts } from "../i18n";
import { Choice } from "./basics";

export interface FlameOrderProps {
  innermost: boolean;
  setInnermost: (yes: boolean) => void;
  hideNative: boolean;
  setHideNative: (yes: boolean) => void;
  hideFramework: boolean;
  setHideFramework: (yes: boolean) => void;
}

export function FlameOrder({ innermost, setInnermost, hideNative, setHideNative, hideFramework, setHideFramework }: FlameOrderProps) {
  const t = useTexts();
  return (
    <>
      <Choice
        label={t.flame.order}
        value={innermost ? "inner" : "outer"}
        onChange={(value) => setInnermost(value === "inner")}
        options={[
          ["outer", t.flame.orders.outer],
          ["inner", t.flame.orders.inner],
        ]}
      />
      <label class="row">
        <input type="checkbox" checked={hideNative} onChange={() => setHideNative(!hideNative)} /> {t.flame.hideNative}
      </label>
      <label class="row">
        <input type="checkbox" checked={hideFramework} onChange={() => setHideFramework(!hideFramework)} /> {t.flame.hideFramework}
      </label>
    </>
  );
}
