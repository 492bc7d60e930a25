import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf } from "../src/components/stack-runs";
import type { StackFrame } from "../src/core/protocol";

const frame = (file: string, kind: "" | "noise" | "site" = ""): StackFrame => ({ file, line: file.endsWith(".py") ? "7" : "0", function: "f", is_noise: kind === "noise", is_call_site: kind === "site" });
const told = (frames: StackFrame[]) => runsOf(frames).map((run) => `${run.first}${run.folded ? "-" : "+"}${run.frames.length}`);

test("C++ frames around those of Python are folded, a run at a time", () => {
  assert.deepEqual(told([frame("??", "noise"), frame("a.cpp"), frame("m.py", "site"), frame("b.cpp"), frame("t.py"), frame("c.c", "noise")]), ["0-2", "2+1", "3-1", "4+1", "5-1"]);
});

test("of C++ frames alone the machinery is folded, and never the call site", () => {
  assert.deepEqual(told([frame("??", "noise"), frame("a.cpp", "site"), frame("b.cpp")]), ["0-1", "1+2"]);
  assert.deepEqual(told([frame("a.cpp", "site"), frame("m.py")]), ["0+2"]);
});
