/**
 * AMF3 values (Action Message Format AMF 3, January 2013), as they follow AMF0's marker 0x11. Each switch begins with empty
 * reference tables. Refuses externalizable objects, whose encoding is private to their class, and bodies over `AmfLimits`.
 */
import type { ByteReader } from '../../bytes/byte-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { type AmfBudget, AmfDate, type AmfObject, AmfReferences, type AmfValue, amfObject } from './amf-value.js';

const MARKER = {
  undefined: 0x00,
  null: 0x01,
  false: 0x02,
  true: 0x03,
  integer: 0x04,
  double: 0x05,
  string: 0x06,
  xmlDocument: 0x07,
  date: 0x08,
  array: 0x09,
  object: 0x0a,
  xml: 0x0b,
  byteArray: 0x0c,
  vectorInt: 0x0d,
  vectorUint: 0x0e,
  vectorDouble: 0x0f,
  vectorObject: 0x10,
  dictionary: 0x11,
} as const;

interface Traits {
  readonly dynamic: boolean;
  readonly members: readonly string[];
}

/** @throws WireError */
export function readAmf3Value(reader: ByteReader, budget: AmfBudget): AmfValue {
  return new Amf3Reader(reader, budget).value();
}

class Amf3Reader {
  readonly #reader: ByteReader;
  readonly #budget: AmfBudget;
  readonly #strings: string[] = [];
  readonly #traits: Traits[] = [];
  readonly #references = new AmfReferences();

  constructor(reader: ByteReader, budget: AmfBudget) {
    this.#reader = reader;
    this.#budget = budget;
  }

  value(): AmfValue {
    const at = this.#reader.offset;
    const marker = this.#reader.u8();
    switch (marker) {
      case MARKER.undefined:
        return undefined;
      case MARKER.null:
        return null;
      case MARKER.false:
        return false;
      case MARKER.true:
        return true;
      case MARKER.integer:
        // 29 bits in two's complement (AMF3 3.6).
        return (this.#u29() << 3) >> 3;
      case MARKER.double:
        return this.#reader.f64();
      case MARKER.string:
        return this.#string();
      default:
        break;
    }
    if (marker > MARKER.dictionary)
      throw new WireError('AMF3_MARKER', `marker ${marker} is not a value type`, 'AMF3 3.1', at);

    // All other types begin with a U29 whose lowest bit is 1 for an inline value and 0 for a reference (AMF3 2.2).
    const head = this.#u29();
    if ((head & 1) === 0) return this.#references.get(head >> 1, this.#budget, 'AMF3 2.2', at);
    const size = head >> 1;
    if (marker === MARKER.object) return this.#object(size);
    return this.#sized(marker, size);
  }

  #sized(marker: number, size: number): AmfValue {
    switch (marker) {
      case MARKER.date:
        return this.#kept(new AmfDate(this.#reader.f64()));
      case MARKER.xmlDocument:
      case MARKER.xml:
        return this.#kept(this.#reader.utf8(this.#budget.string(size, this.#reader.offset)));
      case MARKER.byteArray:
        return this.#kept(this.#reader.bytes(this.#budget.string(size, this.#reader.offset)).slice());
      case MARKER.array:
        return this.#array(size);
      case MARKER.dictionary:
        return this.#dictionary(size);
      case MARKER.vectorInt:
        return this.#vector(size, () => this.#reader.i32());
      case MARKER.vectorUint:
        return this.#vector(size, () => this.#reader.u32());
      case MARKER.vectorDouble:
        return this.#vector(size, () => this.#reader.f64());
      default:
        return this.#vector(size, () => this.value(), true);
    }
  }

  /** U29: variable length, seven bits per byte and eight in the fourth (AMF3 1.3.1). */
  #u29(): number {
    let value = 0;
    for (let i = 0; i < 3; i++) {
      const byte = this.#reader.u8();
      value = (value << 7) | (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return (value << 8) | this.#reader.u8();
  }

  #string(): string {
    const at = this.#reader.offset;
    const head = this.#u29();
    if ((head & 1) === 0) {
      const text = this.#strings[head >> 1];
      if (text === undefined) throw new WireError('AMF_REFERENCE', `no string ${head >> 1}`, 'AMF3 2.2', at);
      this.#budget.count(1, at);
      return text;
    }
    const text = this.#reader.utf8(this.#budget.string(head >> 1, at));
    // The empty string is never sent by reference (AMF3 1.3.2).
    if (text !== '') this.#strings.push(text);
    return text;
  }

  #kept<Value extends AmfValue>(value: Value): Value {
    this.#references.close(this.#references.open(value), 0);
    return value;
  }

  /** Runs `fill` for a value that may contain others, counting its depth and entries. */
  #filled<Value extends AmfValue>(value: Value, fill: () => void): Value {
    const before = this.#budget.entries;
    const index = this.#references.open(value);
    this.#budget.enter(this.#reader.offset);
    fill();
    this.#budget.leave();
    this.#references.close(index, this.#budget.entries - before);
    return value;
  }

  #array(count: number): AmfValue {
    this.#budget.count(count, this.#reader.offset);
    const dense: AmfValue[] = [];
    const named = amfObject();
    const key = this.#string();
    if (key === '') {
      return this.#filled(dense, () => {
        for (let i = 0; i < count; i++) dense.push(this.value());
      });
    }
    // An associative part makes it an object; dense elements get their index as name (AMF3 3.11).
    return this.#filled(named, () => {
      this.#members(named, key);
      for (let i = 0; i < count; i++) named[String(i)] = this.value();
    });
  }

  #members(into: AmfObject, firstKey: string): void {
    for (let key = firstKey; key !== ''; key = this.#string()) {
      this.#budget.count(1, this.#reader.offset);
      into[key] = this.value();
    }
  }

  #object(head: number): AmfObject {
    const traits = this.#readTraits(head);
    const result = amfObject();
    return this.#filled(result, () => {
      this.#budget.count(traits.members.length, this.#reader.offset);
      for (const member of traits.members) result[member] = this.value();
      if (traits.dynamic) this.#members(result, this.#string());
    });
  }

  /** `head` is the U29 of AMF3 3.12 without its lowest bit. */
  #readTraits(head: number): Traits {
    const at = this.#reader.offset;
    if ((head & 1) === 0) {
      const traits = this.#traits[head >> 1];
      if (traits === undefined) throw new WireError('AMF_REFERENCE', `no traits ${head >> 1}`, 'AMF3 3.12', at);
      return traits;
    }
    if ((head & 2) !== 0) {
      throw new WireError('AMF3_EXTERNALIZABLE', 'externalizable objects are not supported', 'AMF3 3.12', at);
    }
    const count = head >> 3;
    this.#budget.count(count, at);
    this.#string();
    const members: string[] = [];
    for (let i = 0; i < count; i++) members.push(this.#string());
    const traits = { dynamic: (head & 4) !== 0, members };
    this.#traits.push(traits);
    return traits;
  }

  #vector(count: number, element: () => AmfValue, typed = false): AmfValue {
    this.#budget.count(count, this.#reader.offset);
    // The fixed-length flag and the name of the element type.
    this.#reader.skip(1);
    if (typed) this.#string();
    const result: AmfValue[] = [];
    return this.#filled(result, () => {
      for (let i = 0; i < count; i++) result.push(element());
    });
  }

  #dictionary(count: number): AmfValue {
    this.#budget.count(count, this.#reader.offset);
    // The weak-keys flag.
    this.#reader.skip(1);
    const result = amfObject();
    return this.#filled(result, () => {
      for (let i = 0; i < count; i++) {
        const key = this.value();
        const name = typeof key === 'object' ? `object ${i}` : String(key);
        result[name] = this.value();
      }
    });
  }
}
