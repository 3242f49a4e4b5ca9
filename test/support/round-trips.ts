/** Counts round trips to Redis: answers are held back until all that can be asked without them has been asked. */

interface Sends {
  sendCommand(command: { readonly name: string }, ...more: unknown[]): unknown;
}

interface Held {
  readonly reply: Promise<unknown>;
  readonly release: () => void;
}

/** After this many event-loop turns without a command, all callers wait for an answer. */
const QUIET_TURNS = 20;

export class RoundTrips {
  readonly #client: Sends;
  readonly #sendCommand: Sends['sendCommand'];
  /** The commands of each round trip. */
  #trips: string[][] = [];
  #asked: string[] = [];
  #held: Held[] = [];
  #running: Promise<void> | undefined;

  /** `client`: as ioredis has it. */
  constructor(client: object) {
    this.#client = client as Sends;
    this.#sendCommand = this.#client.sendCommand;
    this.#client.sendCommand = (command, ...more) => {
      const reply = Promise.resolve(this.#sendCommand.call(this.#client, command, ...more));
      const answered = new Promise<void>((release) => {
        this.#held.push({ reply, release });
      });
      this.#asked.push(command.name);
      this.#running ??= this.#run();
      return answered.then(() => reply);
    };
  }

  async of(work: () => Promise<unknown>): Promise<string[][]> {
    this.#trips = [];
    await work();
    return this.#trips;
  }

  stop(): void {
    this.#client.sendCommand = this.#sendCommand;
  }

  async #run(): Promise<void> {
    while (this.#held.length > 0) {
      for (let asked = -1; asked !== this.#held.length; ) {
        asked = this.#held.length;
        await Promise.allSettled(this.#held.map(({ reply }) => reply));
        for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      this.#trips.push(this.#asked);
      const held = this.#held;
      this.#asked = [];
      this.#held = [];
      for (const { release } of held) release();
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#running = undefined;
  }
}
