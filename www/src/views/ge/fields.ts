// Every field of an output as the log has it, for the hover and the panel.

import { C, CONTINUOUS, HAS_LIFE, IS_REF, KINDS, MOVED, REUSABLE } from "../../core/ge";
import type { Outputs } from "../../core/ge";
import { bytes, count } from "../../format";
import type { Texts } from "../../i18n";

export function marksOf(outputs: Outputs, row: number, overlaps: boolean, t: Texts): string[] {
  const mark = t.ge.mark;
  const given: [boolean, string][] = [
    [overlaps, mark.overlap],
    [!outputs.has(row, REUSABLE) && !outputs.has(row, IS_REF), mark.no_reuse],
    [outputs.has(row, IS_REF), mark.is_ref],
    [outputs.has(row, CONTINUOUS), mark.continuous],
    [outputs.has(row, MOVED), mark.moved],
    [outputs.zeroCopy(row), mark.zero_copy],
    [!outputs.has(row, HAS_LIFE), mark.no_life],
  ];
  return given.filter(([set]) => set).map(([, name]) => name);
}

/** Name and text of each field; what a line does not print is left out. */
export function fieldsOf(outputs: Outputs, row: number, partners: readonly string[], t: Texts): [string, string][] {
  const f = t.ge.field;
  const at = (column: number) => outputs.at(row, column);
  const size = (n: number) => (n < 1024 ? count(n) : `${count(n)} (${bytes(n)})`);
  const yesNo = (n: number) => (n < 0 ? "" : String(n));
  const child = Array.from({ length: at(C.childCount) }, (_, i) => at(C.child + i)).join(":");
  const fields: [string, string][] = [
    [f.name, outputs.text(row, C.name)],
    [f.op_type, outputs.text(row, C.opType)],
    [outputs.slot(row), String(at(C.index))],
    [f.kind, KINDS[at(C.kind)] ?? ""],
    [f.offset, size(at(C.offset))],
    [f.printed_offset, at(C.printedOffset) === at(C.offset) ? "" : count(at(C.printedOffset))],
    [f.stream, Number.isNaN(at(C.otherStream)) ? String(at(C.stream)) : `${at(C.stream)}--${at(C.otherStream)}`],
    [f.memtype, String(at(C.memType))],
    [f.size, size(at(C.size))],
    [f.real_size, size(at(C.bytes))],
    [f.no_align, Number.isNaN(at(C.noAlign)) ? "" : size(at(C.noAlign))],
    [f.begin, outputs.has(row, HAS_LIFE) ? outputs.moment(row, C.begin, C.beginText) : ""],
    [f.end, outputs.has(row, HAS_LIFE) ? outputs.moment(row, C.end, C.endText) : ""],
    [f.child, child],
    [f.is_ref, yesNo(at(C.isRef))],
    [f.no_padding, yesNo(at(C.noPadding))],
    [f.batch, outputs.text(row, C.batch)],
    [f.block_type, outputs.text(row, C.blockType)],
    [f.scope, Number.isNaN(at(C.scope)) ? "" : String(at(C.scope))],
    [f.marks, marksOf(outputs, row, partners.length > 0, t).join(", ")],
    [f.overlaps, partners.join(", ")],
  ];
  return fields.filter(([, text]) => text !== "");
}
