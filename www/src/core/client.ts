// The page's end of a worker. A worker does one thing at a time, so requests wait here, where a newer
// one of the same slot replaces an older one that has not been sent: panning never builds a queue.

import { databaseWasmBytes, databaseWorkerUrl, sampleFile, wasmBytes, workerUrl } from "./assets";
import type { FromWorker, OpenOptions, Progress, ReplyTo, Request, Source, Summary, ToWorker, WireError } from "./protocol";

/** An error of the core, as thrown in the page. */
export class CoreError extends Error {
  constructor(readonly wire: WireError) {
    super(wire.message);
  }
}

/** Thrown into a request that a newer one of its slot has replaced. */
export class Superseded extends Error {}

interface Job {
  slot: string;
  message: ToWorker & { id: number };
  transfer: Transferable[];
  done: (value: never) => void;
  fail: (error: Error) => void;
  onProgress?: (progress: Progress) => void;
}

export class Core {
  #worker: Worker | undefined;
  #ready: Promise<void>;
  #started = false;
  #waiting: Job[] = [];
  #running: Job | undefined;
  #nextId = 1;
  #dead: WireError | undefined;
  /** Told once when the worker can answer nothing any more. */
  onDead: ((error: WireError) => void) | undefined;

  /** With `databases` it has the larger module, which reads and makes databases too. */
  constructor(readonly databases = false) {
    this.#ready = this.#start();
    this.#ready.catch((error: unknown) => this.#die({ kind: "trap", message: String(error), position: null, hint: null, estimate: null }));
  }

  async #start(): Promise<void> {
    const [url, wasm] = await (this.databases ? Promise.all([databaseWorkerUrl(), databaseWasmBytes()]) : Promise.all([workerUrl(), wasmBytes()]));
    if (this.#dead) return;
    const worker = new Worker(url);
    this.#worker = worker;
    await new Promise<void>((done, fail) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "ready") {
          this.#started = true;
          done();
        } else this.#receive(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message || "the worker could not be started"));
        this.#die({ kind: "trap", message: event.message, position: null, hint: null, estimate: null });
      };
      worker.postMessage({ kind: "start", wasm } satisfies ToWorker);
    });
  }

  /** Lets the worker do a small piece of work that nobody waits for. */
  warm(blob: Blob): void {
    void this.#ready.then(() => this.#worker?.postMessage({ kind: "warm", blob } satisfies ToWorker));
  }

  /**
   * Reads a file into this worker's session, with the counters of its process where there are any. `rest`
   * are further files of the same log.
   */
  open(source: Source, counters: Blob | null, rules: string, options: OpenOptions, onProgress: (progress: Progress) => void, rest: readonly Source[] = []): Promise<Summary> {
    const id = this.#nextId++;
    return new Promise((done, fail) => {
      this.#add({ slot: `open ${id}`, message: { kind: "open", id, source, rest, counters, rules, options }, transfer: [], done, fail, onProgress });
    });
  }

  /** Gives an opened file the counters of its process. */
  addCounters(doc: number, counters: Blob): Promise<void> {
    const id = this.#nextId++;
    return new Promise((done, fail) => {
      this.#add({ slot: `counters ${doc}`, message: { kind: "counters", id, doc, counters }, transfer: [], done, fail });
    });
  }

  /** Follows other rules of categories from now on. */
  setRules(rules: string): Promise<void> {
    const id = this.#nextId++;
    return new Promise((done, fail) => {
      this.#add({ slot: "rules", message: { kind: "rules", id, rules }, transfer: [], done, fail });
    });
  }

  /**
   * Asks about an opened file. Of the requests of one `slot` (a view, or a part of one) that have not been
   * sent, only the newest is kept; the others fail with `Superseded`. `recycle` hands buffers of an earlier
   * reply back. With `strip` the answer names no directories and no users. What takes long tells `onProgress`.
   */
  query<R extends Request>(doc: number, request: R, slot: string, recycle: ArrayBuffer[] = [], strip = false, onProgress: (progress: Progress) => void = () => undefined): Promise<ReplyTo<R>> {
    const id = this.#nextId++;
    return new Promise((done, fail) => {
      this.#add({ slot, message: { kind: "query", id, doc, request, recycle, strip }, transfer: recycle, done, fail, onProgress });
    });
  }

  /** Ends the worker at once, in the middle of whatever it does. */
  terminate(): void {
    this.#worker?.terminate();
    this.#die({ kind: "cancelled", message: "cancelled", position: null, hint: null, estimate: null });
  }

  #add(job: Job): void {
    if (this.#dead) {
      job.fail(new CoreError(this.#dead));
      return;
    }
    const older = this.#waiting.findIndex((waiting) => waiting.slot === job.slot);
    if (older >= 0) {
      // The new one takes the old one's place in the line.
      this.#waiting[older]?.fail(new Superseded());
      this.#waiting[older] = job;
    } else {
      this.#waiting.push(job);
    }
    // At once where it can be: what is drawn meanwhile need not be waited for.
    if (this.#started) this.#next();
    else void this.#ready.then(() => this.#next());
  }

  #next(): void {
    if (this.#running || !this.#worker || this.#dead) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#running = job;
    this.#worker.postMessage(job.message, job.transfer);
  }

  #receive(data: FromWorker): void {
    const job = this.#running;
    if (data.kind === "ready" || !job || data.id !== job.message.id) return;
    if (data.kind === "progress") {
      job.onProgress?.(data.progress);
      return;
    }
    this.#running = undefined;
    if (data.kind === "error") job.fail(new CoreError(data.error));
    else if (data.kind === "dead") {
      job.fail(new CoreError(data.error));
      this.#worker?.terminate();
      this.#die(data.error);
      return;
    } else (job.done as (value: unknown) => void)(data.kind === "opened" ? data.summary : data.kind === "reply" ? data.reply : undefined);
    this.#next();
  }

  #die(error: WireError): void {
    if (this.#dead) return;
    this.#dead = error;
    for (const job of [this.#running, ...this.#waiting]) job?.fail(new CoreError(error));
    this.#running = undefined;
    this.#waiting = [];
    this.onDead?.(error);
  }
}

/** A started worker kept at hand, so that the first file does not wait for the wasm module to compile. */
let spare: Core | undefined;

export function takeCore(databases = false): Core {
  if (databases) return new Core(true);
  const core = spare ?? new Core();
  spare = undefined;
  return core;
}

export function keepSpareCore(): void {
  if (spare) return;
  const core = new Core();
  spare = core;
  // Any file will do; the bundled sample is at hand.
  void sampleFile("snapshot.pickle").then((file) => file && spare === core && core.warm(file));
}
