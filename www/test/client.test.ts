import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { FromWorker, Request, ToWorker } from "../src/core/protocol";

/** A worker that answers when the test says so. */
class FakeWorker {
  static last: FakeWorker;
  asked: ToWorker[] = [];
  ended = false;
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  constructor() {
    FakeWorker.last = this;
  }
  postMessage(message: ToWorker) {
    this.asked.push(message);
    if (message.kind === "start") queueMicrotask(() => this.answer({ kind: "ready" }));
  }
  answer(data: FromWorker) {
    this.onmessage?.({ data });
  }
  terminate() {
    this.ended = true;
  }
}

// What a browser has: the inert blocks of the single file, object addresses, workers.
const blocks: Record<string, string> = { worker: "", wasm: gzipSync(Buffer.from([0, 0x61, 0x73, 0x6d])).toString("base64") };
Object.assign(globalThis, { Worker: FakeWorker, document: { getElementById: (id: string) => ({ textContent: blocks[id] ?? "" }) } });
URL.createObjectURL = () => "blob:worker";
const { Core, CoreError, Superseded } = await import("../src/core/client");

const curves = (width: number): Request => ({ type: "curves", device: 0, axis: "event", from: null, to: null, width });
const turn = () => new Promise((done) => setTimeout(done, 5));
const sent = () => FakeWorker.last.asked.filter((message) => message.kind === "query");
const reply = (positions: number[]) => ({ kind: "reply", id: sent().at(-1)?.id ?? 0, reply: { type: "positions", positions, extent: [0, 1] }, took: 0 }) as FromWorker;

async function started() {
  const core = new Core();
  while (FakeWorker.last === undefined || FakeWorker.last.asked.length === 0) await turn();
  await turn();
  return core;
}

test("of a slot's unsent requests only the newest is asked; other slots keep their turn", async () => {
  const core = await started();
  const outcomes: string[] = [];
  const ask = (name: string, slot: string, width: number) =>
    core.query(0, curves(width), slot).then(
      () => outcomes.push(`${name} answered`),
      (error: unknown) => outcomes.push(`${name} ${error instanceof Superseded ? "superseded" : "failed"}`),
    );
  void ask("first", "a", 1);
  await turn();
  void ask("second", "a", 2);
  void ask("other", "b", 3);
  void ask("third", "a", 4);
  await turn();
  assert.equal(sent().length, 1, "the worker is busy with the first");
  for (let i = 0; i < 3; i++) {
    FakeWorker.last.answer(reply([]));
    await turn();
  }
  assert.deepEqual(outcomes, ["second superseded", "first answered", "third answered", "other answered"]);
  assert.deepEqual(sent().map((message) => message.kind === "query" && message.request.type === "curves" && message.request.width), [1, 4, 3]);
});

test("an answer to something else is not taken for this one's", async () => {
  const core = await started();
  let got: unknown;
  void core.query(0, curves(1), "a").then((data) => (got = data));
  await turn();
  FakeWorker.last.answer({ kind: "reply", id: 999, reply: { type: "positions", positions: [1], extent: [0, 1] }, took: 0 });
  await turn();
  assert.equal(got, undefined);
  FakeWorker.last.answer(reply([2]));
  await turn();
  assert.deepEqual(got, { type: "positions", positions: [2], extent: [0, 1] });
});

test("an error is the request's own; a trap ends the worker and everything that waits", async () => {
  const core = await started();
  const error = { kind: "request", message: "no such device", position: null, hint: null, estimate: null };
  const first = core.query(0, curves(1), "a");
  await turn();
  FakeWorker.last.answer({ kind: "error", id: sent().at(-1)?.id ?? 0, error });
  await assert.rejects(first, (thrown) => thrown instanceof CoreError && thrown.wire.kind === "request");

  let dead = "";
  core.onDead = ({ kind }) => (dead = kind);
  const running = core.query(0, curves(1), "a");
  const waiting = core.query(0, curves(2), "b");
  await turn();
  FakeWorker.last.answer({ kind: "dead", id: sent().at(-1)?.id ?? 0, error: { ...error, kind: "trap" } });
  for (const each of [running, waiting, core.query(0, curves(3), "c")]) await assert.rejects(each, (thrown) => thrown instanceof CoreError && thrown.wire.kind === "trap");
  assert.equal(dead, "trap");
  assert.ok(FakeWorker.last.ended);
});

test("terminate ends the worker in the middle of reading", async () => {
  const core = await started();
  const told: number[] = [];
  const options = { budget: null, native_frames: true, last: null, range: null };
  const opening = core.open({ name: "a", path: "a", blob: new Blob([]) }, null, "", options, ({ read }) => told.push(read));
  await turn();
  const asked = FakeWorker.last.asked.at(-1);
  FakeWorker.last.answer({ kind: "progress", id: asked?.kind === "open" ? asked.id : 0, progress: { read: 7, total: 9, memory: 1 } });
  core.terminate();
  await assert.rejects(opening, (thrown) => thrown instanceof CoreError && thrown.wire.kind === "cancelled");
  assert.deepEqual(told, [7]);
  assert.ok(FakeWorker.last.ended);
});
