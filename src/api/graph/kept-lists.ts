/**
 * First pages of lists as they were answered last, for edges with a `version`. Readers of a broadcast's errors ask for the same
 * page again and again, and to render it costs several times the rest of the request (docs/decisions/0026-one-path-of-a-read.md).
 */
import { mayBeKept } from '../params/fields.js';
import type { RawParams } from '../params/raw.js';
import { JsonChunks } from './json-text.js';
import type { CallWork } from './work.js';

/** Keys and texts; each text is kept as bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The call that asks for a list; `version`: of the interface. */
interface Asked {
  readonly token: { readonly carrier: string } | undefined;
  readonly params: RawParams;
  readonly originOf: () => string;
  readonly version: string;
  readonly work: CallWork;
}

interface Address {
  readonly path: string;
  readonly params: object;
}

interface Kept {
  readonly version: string;
  readonly body: JsonChunks;
}

export class KeptLists {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param version differs whenever the list may; `undefined`: it is not kept */
  async answer(
    call: Asked,
    address: Address,
    version: () => Promise<string>,
    render: () => Promise<object>,
  ): Promise<object> {
    const key = keyOf(call, address);
    if (key === undefined) return render();
    const current = await version();
    const found = this.#kept.get(key);
    if (found?.version === current) {
      call.work.addBytes(found.body.bytes);
      return found.body;
    }
    const body = await render();
    // A large one is serialized in slices.
    if (!call.work.budget.isSmall) return body;
    const text = JsonChunks.of(body);
    if (this.#bytes > KEPT_BYTES) {
      this.#kept.clear();
      this.#bytes = 0;
    }
    this.#bytes += text.bytes - (found === undefined ? -key.length : found.body.bytes);
    this.#kept.set(key, { version: current, body: text });
    return text;
  }
}

/** `undefined` for links that repeat a token of the URL, and for times that may be relative to now. */
function keyOf({ token, params, originOf, version }: Asked, { path, params: own }: Address): string | undefined {
  if (token?.carrier !== 'header' || params.since !== undefined || params.until !== undefined) return undefined;
  const key = JSON.stringify([originOf(), version, path, own]);
  return mayBeKept(key) ? key : undefined;
}
