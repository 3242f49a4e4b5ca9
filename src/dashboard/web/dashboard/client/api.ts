/**
 * Calls of the HTTP interface. The token is sent in a header, never in a URL; the app secret proof, which is useless
 * without its token, is sent as a parameter.
 */
import { defined } from '../../../../lib/objects.js';

export interface Fault {
  readonly status: number;
  readonly subcode?: unknown;
  /** `error_data` of the answer, such as the offset to resume an upload from. */
  readonly data?: unknown;
  /** The same call may succeed later. */
  readonly transient: boolean;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly fault: Fault;
  constructor(message: string, fault: Fault) {
    super(message);
    this.fault = fault;
  }
}

export type Json = Readonly<Record<string, unknown>>;

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly paging?: { readonly cursors?: { readonly after?: string }; readonly next?: string };
}

/** Entered at sign-in. */
export interface Credentials {
  readonly token: string;
  /** HMAC-SHA256 of the token under the app secret, for servers that require it. */
  readonly proof?: string;
}

export class Api {
  readonly #token: string;
  readonly #proof: string | undefined;

  constructor({ token, proof }: Credentials) {
    this.#token = token;
    this.#proof = proof;
  }

  /** Whether the server requires a proof, or rejects this one. */
  async refusesProof(): Promise<boolean> {
    try {
      await this.get('/me', { fields: 'id' });
      return false;
    } catch (error) {
      return error instanceof ApiError && error.message.includes('appsecret_proof');
    }
  }

  /** @throws ApiError */
  get<Answer>(path: string, params: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Answer> {
    const query = new URLSearchParams(params).toString();
    return this.#call(query === '' ? path : `${path}?${query}`, defined({ signal }));
  }

  /** A file. @throws ApiError */
  async file(path: string, params: Readonly<Record<string, string>>): Promise<Blob> {
    const answer = await this.#fetch(`${path}?${new URLSearchParams(params).toString()}`, {});
    if (!answer.ok) throw faultOf(await answer.json().catch(() => null), answer.status);
    return answer.blob();
  }

  /** @throws ApiError */
  post<Answer>(path: string, params: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#call(path, { method: 'POST', body: new URLSearchParams(params) });
  }

  /** Parameters with files among them. @throws ApiError */
  postForm<Answer>(path: string, form: FormData, signal?: AbortSignal): Promise<Answer> {
    return this.#call(path, { method: 'POST', body: form, ...defined({ signal }) });
  }

  /** @throws ApiError */
  delete<Answer>(path: string): Promise<Answer> {
    return this.#call(path, { method: 'DELETE' });
  }

  async #call<Answer>(path: string, init: RequestInit): Promise<Answer> {
    const answer = await this.#fetch(path, init);
    const body = await answer.json().catch((error: unknown) => {
      if (error instanceof DOMException) throw error;
      throw new ApiError('The server sent an invalid response.', { status: answer.status, transient: true });
    });
    if (!answer.ok) throw faultOf(body, answer.status);
    return body as Answer;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const mark = path.includes('?') ? '&' : '?';
    const url = this.#proof === undefined ? path : `${path}${mark}appsecret_proof=${encodeURIComponent(this.#proof)}`;
    try {
      return await fetch(url, { ...init, headers: { Authorization: `Bearer ${this.#token}` }, cache: 'no-store' });
    } catch (error) {
      if (error instanceof DOMException) throw error;
      throw new ApiError('The server cannot be reached. Check your connection.', { status: 0, transient: true });
    }
  }
}

interface ErrorEnvelope {
  readonly message?: unknown;
  readonly error_user_msg?: unknown;
  readonly error_subcode?: unknown;
  readonly error_data?: unknown;
  readonly is_transient?: unknown;
}

function faultOf(body: unknown, status: number): ApiError {
  const error: ErrorEnvelope = (body as { error?: ErrorEnvelope } | null)?.error ?? {};
  const message = error.error_user_msg ?? error.message;
  const text =
    typeof message === 'string' ? message.replace(/^\(#-?\d+\)\s*/, '') : `The server answered with status ${status}.`;
  const transient = error.is_transient === true || status >= 500;
  return new ApiError(text, { status, subcode: error.error_subcode, data: error.error_data, transient });
}

/** The message to show. Rethrows errors of the page itself, which then appear in the console. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  throw error;
}
