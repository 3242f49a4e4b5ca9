/** Calls of the HTTP interface: through the session of the browser, or with the token of a link in a header, never in a URL. */
import { defined } from '../../../../lib/objects.js';
import { SESSION_API_PATH, SESSION_HEADER } from '../../../view/protocol.js';

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

export class Api {
  readonly #token: string | undefined;

  /** `token`: that of a link. */
  constructor(token?: string) {
    this.#token = token;
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
    return answerOf<Answer>(await this.#fetch(path, init));
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    if (this.#token === undefined)
      return reach(`${SESSION_API_PATH}${path.replace(/^\/dashboard/, '')}`, init, OWN_PAGE);
    return reach(path, init, { Authorization: `Bearer ${this.#token}` });
  }
}

/** The text behind a signed link, which is its own permission. @throws ApiError */
export async function textOfLink(link: string): Promise<string> {
  const { pathname, search } = new URL(link, window.location.href);
  const answer = await reach(pathname + search, {}, {});
  if (!answer.ok) throw faultOf(null, answer.status);
  return answer.text();
}

/** The server takes a session's requests from its own pages alone. */
const OWN_PAGE: Readonly<Record<string, string>> = { [SESSION_HEADER]: '1' };

/** A call of the session itself. @throws ApiError */
export async function callSession<Answer>(
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return answerOf<Answer>(await reach(path, init, { ...OWN_PAGE, ...init.headers }));
}

async function reach(url: string, init: RequestInit, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(url, { ...init, headers, cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new ApiError('The server cannot be reached. Check your connection.', { status: 0, transient: true });
  }
}

async function answerOf<Answer>(answer: Response): Promise<Answer> {
  const body = await answer.json().catch((error: unknown) => {
    if (error instanceof DOMException) throw error;
    throw new ApiError('The server sent an invalid response.', { status: answer.status, transient: true });
  });
  if (!answer.ok) throw faultOf(body, answer.status);
  return body as Answer;
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
