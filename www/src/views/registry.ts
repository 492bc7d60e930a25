// The one list of views. To add one: write `views/NAME.tsx` exporting a `View`, add it to `views`
// here, and give its texts a block of their own in i18n/en.ts and i18n/zh.ts.
// The rail, the keys 1-9, the help page and the address all follow from the entry.

import type { ComponentType } from "preact";
import type { Doc } from "../core/use-query";
import type { Summary } from "../core/protocol";
import type { Texts } from "../i18n";
import type { FileEntry } from "../state/files";
import { compare } from "./compare";
import { events } from "./events";
import { exports } from "./export";
import { flame } from "./flame";
import { fragmentation } from "./fragmentation";
import { ge } from "./ge";
import { growth } from "./growth";
import { moment } from "./moment";
import { oom } from "./oom";
import { operators } from "./operators";
import { overview } from "./overview";
import { query } from "./query";
import { ranks } from "./ranks";
import { segments } from "./segments";
import { snapshotRanks } from "./snapshot-ranks";
import { timeline } from "./timeline";

/** What a view is given: the file, where to ask about it, and the device chosen. */
export interface ViewProps {
  file: FileEntry;
  summary: Summary;
  at: Doc;
  /** The device shown: an index as text, or "host". Views of inputs without devices ignore it. */
  device: string;
}

export interface View {
  /** Stands in the address: never changed. */
  id: string;
  name: (t: Texts) => string;
  /** Whether the view has something to say about this file. */
  fits: (summary: Summary) => boolean;
  Component: ComponentType<ViewProps>;
}

export const views: readonly View[] = [overview, timeline, moment, flame, segments, fragmentation, growth, oom, events, compare, snapshotRanks, exports, operators, ranks, ge, query];
