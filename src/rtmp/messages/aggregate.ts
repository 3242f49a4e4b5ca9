/**
 * Aggregate messages (RTMP 1.0 7.1.6): a sequence of FLV tags, each with its four-byte back pointer. Tag timestamps are
 * relative to the first tag's, which corresponds to the timestamp of the aggregate.
 */
import { SliceList } from '../../bytes/slices.js';
import { MESSAGE_TYPE } from '../protocol.js';
import { newRtmpMessage, type RtmpMessage } from './message.js';

const TAG_HEADER_BYTES = 11;
const BACK_POINTER_BYTES = 4;

/** Splits aggregates. The parts' payload refers to the network buffers; one object is reused for all parts. */
export class AggregateSplitter {
  readonly #header = new DataView(new ArrayBuffer(TAG_HEADER_BYTES));
  readonly #part = newRtmpMessage();
  #source = new SliceList();
  #piece = 0;
  #inPiece = 0;
  #left = 0;
  /** Timestamp of the aggregate. */
  #timestampMs = 0;
  /** Timestamp of the first tag; -1 before it. */
  #firstTimeMs = -1;
  #isWhole = true;

  /** `next` returns the parts of this message. */
  begin(aggregate: RtmpMessage): void {
    this.#source = aggregate.payload;
    this.#piece = 0;
    this.#inPiece = 0;
    this.#left = aggregate.payload.length;
    this.#timestampMs = aggregate.timestampMs;
    this.#firstTimeMs = -1;
    this.#isWhole = true;
    const part = this.#part;
    part.messageStreamId = aggregate.messageStreamId;
    part.chunkStreamId = aggregate.chunkStreamId;
    part.messageNumber = aggregate.messageNumber;
    part.byteOffset = aggregate.byteOffset;
  }

  /** False after the last part: a tag extends past the end, and the rest was dropped. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The next part, valid until the next call; undefined after the last. */
  next(): RtmpMessage | undefined {
    const part = this.#part;
    const header = this.#header;
    while (this.#left > 0) {
      if (this.#left < TAG_HEADER_BYTES) return this.#end(false);
      this.#readHeader();
      const typeId = header.getUint8(0);
      const size = header.getUint32(0) & 0xffffff;
      // 24 bits, followed by the upper eight (FLV E.4.1).
      const timeMs = ((header.getUint8(7) << 24) | (header.getUint32(3) & 0xffffff)) >>> 0;
      if (this.#firstTimeMs < 0) this.#firstTimeMs = timeMs;
      if (size > this.#left) return this.#end(false);
      part.payload.clear();
      this.#move(size, part.payload);
      // Some senders omit the last back pointer.
      this.#move(Math.min(BACK_POINTER_BYTES, this.#left), undefined);
      part.typeId = typeId & 0x1f;
      part.timestampMs = (this.#timestampMs + timeMs - this.#firstTimeMs) >>> 0;
      if (part.typeId !== MESSAGE_TYPE.aggregate) return part;
    }
    return this.#end(true);
  }

  /** Drops the references to the network buffers. */
  #end(isWhole: boolean): undefined {
    this.#isWhole &&= isWhole;
    this.#left = 0;
    this.#part.payload.clear();
    this.#source = this.#part.payload;
  }

  #readHeader(): void {
    for (let i = 0; i < TAG_HEADER_BYTES; i++) {
      while (this.#inPiece === this.#pieceSize()) this.#nextPiece();
      const at = this.#source.startAt(this.#piece) + this.#inPiece++;
      this.#header.setUint8(i, this.#source.bufferAt(this.#piece)[at] as number);
    }
    this.#left -= TAG_HEADER_BYTES;
  }

  /** Advances by `count` bytes and appends them to `into`. */
  #move(count: number, into: SliceList | undefined): void {
    let rest = count;
    while (rest > 0) {
      if (this.#inPiece === this.#pieceSize()) this.#nextPiece();
      const size = Math.min(rest, this.#pieceSize() - this.#inPiece);
      const start = this.#source.startAt(this.#piece) + this.#inPiece;
      into?.push(this.#source.bufferAt(this.#piece), start, start + size);
      this.#inPiece += size;
      rest -= size;
    }
    this.#left -= count;
  }

  #pieceSize(): number {
    return this.#source.sizeAt(this.#piece);
  }

  #nextPiece(): void {
    this.#piece++;
    this.#inPiece = 0;
  }
}
