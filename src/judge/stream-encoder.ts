/** Which encoder sends a stream, from all that it says of itself. */
import type { StreamFacts } from '../facts/stream-facts.js';
import { isRecord } from '../lib/objects.js';
import { type EncoderIdentity, recognizeEncoder } from '../media/encoder.js';

export class StreamEncoder {
  readonly #facts: StreamFacts;
  #metadata: Readonly<Record<string, unknown>> | undefined;
  /** Text of its SEI that the identity was found with. */
  #text = '';
  #identity: EncoderIdentity | undefined;

  constructor(facts: StreamFacts) {
    this.#facts = facts;
  }

  /** A publish session begins. */
  restart(): void {
    this.#metadata = undefined;
    this.#identity = undefined;
    this.#text = '';
  }

  /** The decoded value of onMetaData, as an object; undefined if it is none. */
  takeMetadata(value: unknown): Readonly<Record<string, unknown>> | undefined {
    const object = Array.isArray(value) ? value.findLast(isRecord) : value;
    this.#metadata = object instanceof Map ? Object.fromEntries(object) : isRecord(object) ? object : undefined;
    this.#identity = undefined;
    return this.#metadata;
  }

  /** After a packet. */
  refresh(): void {
    const { encoderText } = this.#facts.video;
    if (encoderText === this.#text) return;
    this.#text = encoderText;
    this.#identity = undefined;
  }

  get identity(): EncoderIdentity {
    const { clientName, video } = this.#facts;
    this.#identity ??= recognizeEncoder({
      clientName,
      metadata: this.#metadata,
      encoderSei: video.encoderText === '' ? undefined : video.encoderText,
    });
    return this.#identity;
  }

  /** Name and version. */
  get label(): string {
    const { name, version } = this.identity;
    return version === '' ? name : `${name} ${version}`;
  }
}
