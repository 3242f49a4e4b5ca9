/**
 * AMF0 values (Action Message Format AMF 0, December 2007). Counts from the wire never allocate: an array grows with the
 * elements that arrive. Refuses the reserved markers 4 and 14, references to incomplete values, and bodies over `AmfLimits`.
 */
import { ByteReader } from '../../bytes/byte-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import type { AmfLimits } from '../limits.js';
import { AmfBudget, AmfDate, type AmfObject, AmfReferences, type AmfValue, amfObject } from './amf-value.js';
import { readAmf3Value } from './amf3-decoder.js';

export const AMF0_MARKER = {
  number: 0x00,
  boolean: 0x01,
  string: 0x02,
  object: 0x03,
  null: 0x05,
  undefined: 0x06,
  reference: 0x07,
  ecmaArray: 0x08,
  objectEnd: 0x09,
  strictArray: 0x0a,
  date: 0x0b,
  longString: 0x0c,
  unsupported: 0x0d,
  xmlDocument: 0x0f,
  typedObject: 0x10,
  amf3: 0x11,
} as const;

const CLAUSE = 'AMF0 2.1';

/** Decodes successive values of one body, which share the reference table and the bounds. */
export class Amf0Decoder {
  readonly #reader: ByteReader;
  readonly #budget: AmfBudget;
  readonly #references = new AmfReferences();

  constructor(bytes: Uint8Array, limits: AmfLimits, from = 0) {
    this.#reader = new ByteReader(bytes, CLAUSE, from);
    this.#budget = new AmfBudget(limits, CLAUSE);
  }

  get done(): boolean {
    return this.#reader.remaining === 0;
  }

  /** Bytes of the body consumed so far. */
  get offset(): number {
    return this.#reader.offset;
  }

  /** @throws WireError */
  value(): AmfValue {
    const at = this.#reader.offset;
    const marker = this.#reader.u8();
    switch (marker) {
      case AMF0_MARKER.number:
        return this.#reader.f64();
      case AMF0_MARKER.boolean:
        return this.#reader.u8() !== 0;
      case AMF0_MARKER.string:
        return this.#text(this.#reader.u16());
      case AMF0_MARKER.object:
        return this.#object();
      case AMF0_MARKER.null:
        return null;
      case AMF0_MARKER.undefined:
      case AMF0_MARKER.unsupported:
        return undefined;
      case AMF0_MARKER.reference:
        return this.#references.get(this.#reader.u16(), this.#budget, 'AMF0 2.9', at);
      case AMF0_MARKER.ecmaArray:
        // The count is only a hint (AMF0 2.10) and often wrong; the end marker decides.
        this.#reader.skip(4);
        return this.#object();
      case AMF0_MARKER.strictArray:
        return this.#strictArray();
      case AMF0_MARKER.date: {
        const epochMs = this.#reader.f64();
        return new AmfDate(epochMs, this.#reader.i16());
      }
      case AMF0_MARKER.longString:
      case AMF0_MARKER.xmlDocument:
        return this.#text(this.#reader.u32());
      case AMF0_MARKER.typedObject:
        // Class name (AMF0 2.18), unused.
        this.#text(this.#reader.u16());
        return this.#object();
      case AMF0_MARKER.amf3:
        return readAmf3Value(this.#reader, this.#budget);
      default:
        throw new WireError('AMF0_MARKER', `marker ${marker} is not a value type`, CLAUSE, at);
    }
  }

  #text(bytes: number): string {
    return this.#reader.utf8(this.#budget.string(bytes, this.#reader.offset));
  }

  #object(): AmfObject {
    const before = this.#budget.entries;
    const result = amfObject();
    const index = this.#references.open(result);
    this.#budget.enter(this.#reader.offset);
    for (;;) {
      const key = this.#text(this.#reader.u16());
      // An empty name ends the object if the end marker follows; otherwise it is a member name (AMF0 2.5).
      if (key === '' && this.#reader.peekU8() === AMF0_MARKER.objectEnd) {
        this.#reader.skip(1);
        break;
      }
      this.#budget.count(1, this.#reader.offset);
      result[key] = this.value();
    }
    this.#budget.leave();
    this.#references.close(index, this.#budget.entries - before);
    return result;
  }

  #strictArray(): AmfValue[] {
    const before = this.#budget.entries;
    const count = this.#reader.u32();
    this.#budget.count(count, this.#reader.offset);
    const result: AmfValue[] = [];
    const index = this.#references.open(result);
    this.#budget.enter(this.#reader.offset);
    for (let i = 0; i < count; i++) result.push(this.value());
    this.#budget.leave();
    this.#references.close(index, this.#budget.entries - before);
    return result;
  }
}

/** All values of a body. @throws WireError */
export function decodeAmf0(bytes: Uint8Array, limits: AmfLimits, from = 0): AmfValue[] {
  const decoder = new Amf0Decoder(bytes, limits, from);
  const values: AmfValue[] = [];
  while (!decoder.done) {
    if (values.length >= limits.entries) {
      throw new WireError('AMF_TOO_MANY_ENTRIES', `more than ${limits.entries} values`, CLAUSE, decoder.offset);
    }
    values.push(decoder.value());
  }
  return values;
}
