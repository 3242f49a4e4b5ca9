/** The files that were chosen: judged one after the other, each by a worker of its own. */
import { type HouseSpec, houseSpec } from '../../../spec/house.js';
import { Value } from '../shared/value.js';
import type { Answer, Judged, MeantAs, Request } from './messages.js';
import { startWorker } from './start-worker.js';

export type CheckState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly bytes: number; readonly findings: number }
  | { readonly kind: 'judged'; readonly judged: Judged }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'canceled' };

export interface Check {
  readonly id: number;
  readonly file: File;
  readonly state: CheckState;
}

export interface Bounds {
  readonly house: HouseSpec | undefined;
  readonly problem: string;
}

/** A result may have 10,000 records, some 20 MB. */
export const MAX_FILES = 50;
/** The limit of the command line and of a server. */
const MAX_BOUNDS_BYTES = 96 * 1024;

export class Checks {
  readonly list = new Value<readonly Check[]>([]);
  /** Bounds chosen on this page, over those of the server. */
  readonly bounds = new Value<Bounds>({ house: undefined, problem: '' });
  /** The rules for all files. */
  readonly meantAs = new Value<MeantAs>('live');
  #worker: Worker | undefined;
  #running: number | undefined;
  #lastId = 0;

  /** Returns how many are too many. */
  add(files: readonly File[]): number {
    const fitting = files.slice(0, Math.max(0, MAX_FILES - this.list.get().length));
    const added = fitting.map((file): Check => ({ id: ++this.#lastId, file, state: { kind: 'waiting' } }));
    this.list.set([...this.list.get(), ...added]);
    this.#next();
    return files.length - fitting.length;
  }

  cancel(id: number): void {
    this.#set(id, { kind: 'canceled' });
    this.#stop(id);
  }

  again(id: number): void {
    this.#set(id, { kind: 'waiting' });
    this.#next();
  }

  remove(id: number): void {
    this.list.set(this.list.get().filter((check) => check.id !== id));
    this.#stop(id);
  }

  /** Judges all files again by other bounds; undefined: by those of the server, or the published ones. */
  async judgeBy(file: File | undefined): Promise<void> {
    const bounds = file === undefined ? { house: undefined, problem: '' } : await readBounds(file);
    this.bounds.set(bounds);
    if (bounds.problem === '') this.#judgeAgain();
  }

  /** Judges all files again by the rules of live streams, or of uploads. */
  judgeAs(meantAs: MeantAs): void {
    this.meantAs.set(meantAs);
    this.#judgeAgain();
  }

  #judgeAgain(): void {
    this.list.set(this.list.get().map((check): Check => ({ ...check, state: { kind: 'waiting' } })));
    if (this.#running !== undefined) this.#stop(this.#running);
    this.#next();
  }

  #next(): void {
    const check =
      this.#running === undefined ? this.list.get().find(({ state }) => state.kind === 'waiting') : undefined;
    if (check === undefined) return;
    const { id, file } = check;
    this.#running = id;
    this.#set(id, { kind: 'running', bytes: 0, findings: 0 });
    this.#worker = ask(
      { type: 'judge', file, meantAs: this.meantAs.get(), house: this.bounds.get().house ?? houseSpec() },
      (answer) => {
        if (answer.type === 'bounds') return;
        if (answer.type === 'progress') return this.#set(id, { kind: 'running', ...answer });
        this.#set(id, answer.type === 'refused' ? { kind: 'refused', ...answer } : { kind: 'judged', judged: answer });
        this.#stop(id);
      },
    );
  }

  #stop(id: number): void {
    if (this.#running !== id) return;
    this.#worker?.terminate();
    this.#running = undefined;
    this.#next();
  }

  #set(id: number, state: CheckState): void {
    this.list.set(this.list.get().map((check) => (check.id === id ? { ...check, state } : check)));
  }
}

async function readBounds(file: File): Promise<Bounds> {
  const refused = (problem: string): Bounds => ({ house: undefined, problem });
  if (file.size > MAX_BOUNDS_BYTES) return refused(`${file.name} is larger than ${MAX_BOUNDS_BYTES / 1024} KiB.`);
  let text: string;
  try {
    text = await file.text();
  } catch {
    return refused(`${file.name} cannot be read.`);
  }
  return new Promise((resolve) => {
    const worker = ask({ type: 'bounds', text, name: file.name }, (answer) => {
      if (answer.type === 'bounds') resolve({ house: answer.house, problem: '' });
      else if (answer.type === 'refused') resolve(refused(answer.reason));
      worker.terminate();
    });
  });
}

function ask(request: Request, take: (answer: Answer) => void): Worker {
  const worker = startWorker();
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => take(data));
  // Out of memory, or a fault of the judge itself.
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    take({ type: 'refused', reason: `the judge stopped${event.message ? ` (${event.message})` : ''}` });
  });
  worker.postMessage(request);
  return worker;
}
