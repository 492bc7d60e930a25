// The page's end of the worker with SQLite. A question that takes too long is ended with its worker; the next
// one makes another from the same databases.

import { sqlBytes, sqlWorkerUrl } from "../core/assets";
import type { FromSql, Rows, SqlError, TableInfo, ToSql } from "./protocol";

export class SqlFailure extends Error {
  constructor(readonly error: SqlError) {
    super(error.message);
  }
}

/** Thrown into what was under way when it was cancelled. */
export class Cancelled extends Error {}

type Message<T> = T extends unknown ? Omit<T, "id"> : never;
type Waiting = { done: (value: FromSql) => void; fail: (error: Error) => void };

/** One worker and what it has been asked. */
class Running {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  /** Why it answers no more. */
  #ended: Error | undefined;

  constructor(url: string) {
    this.#worker = new Worker(url);
    this.#worker.onmessage = ({ data }: MessageEvent<FromSql>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.kind === "error") waiting?.fail(new SqlFailure(data.error));
      else waiting?.done(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(new SqlFailure({ message: event.message || "the worker with SQLite could not be started", at: null, refusal: null }));
    };
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  send(message: Message<ToSql>): Promise<FromSql> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done, fail });
      this.#worker.postMessage({ ...message, id });
    });
  }

  end(why: Error): void {
    if (this.#ended) return;
    this.#ended = why;
    this.#worker.terminate();
    for (const { fail } of this.#waiting.values()) fail(why);
    this.#waiting.clear();
  }
}

export class Sql {
  #running: Running | undefined;
  #opening: Promise<Running> | undefined;
  /** Counts cancellations: what was begun before the last one is over. */
  #turn = 0;
  /** The tables, once they were opened. */
  tables: readonly TableInfo[] = [];

  constructor(
    readonly main: Blob,
    readonly ref: Blob | null,
  ) {}

  /** Opens the databases, where they are not. */
  async open(): Promise<void> {
    await this.#opened();
  }

  async ask(sql: string, most: number): Promise<Rows & { took: number }> {
    const reply = await (await this.#opened()).send({ kind: "ask", sql, most });
    if (reply.kind !== "rows") throw new Error(reply.kind);
    return { ...reply.rows, took: reply.took };
  }

  async csv(sql: string): Promise<Blob> {
    const reply = await (await this.#opened()).send({ kind: "csv", sql });
    if (reply.kind !== "csv") throw new Error(reply.kind);
    return reply.text;
  }

  /** Ends whatever is under way, at once. */
  cancel(): void {
    this.#turn++;
    this.#running?.end(new Cancelled());
    this.#running = undefined;
    this.#opening = undefined;
  }

  #opened(): Promise<Running> {
    if (this.#running?.hasEnded) this.cancel();
    if (this.#opening) return this.#opening;
    const opening = this.#make(this.#turn);
    this.#opening = opening;
    // What failed may be tried again.
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #make(turn: number): Promise<Running> {
    const [url, wasm] = await Promise.all([sqlWorkerUrl(), sqlBytes()]);
    if (turn !== this.#turn) throw new Cancelled();
    const running = new Running(url);
    this.#running = running;
    try {
      const opened = await running.send({ kind: "open", wasm: wasm as Uint8Array<ArrayBuffer>, main: this.main, ref: this.ref });
      if (opened.kind === "opened") this.tables = opened.tables;
      return running;
    } catch (thrown) {
      running.end(new Cancelled());
      throw thrown;
    }
  }
}
