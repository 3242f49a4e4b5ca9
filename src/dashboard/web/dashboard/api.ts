/** Calls of the HTTP interface with the token of this session, in a header: never in a URL. */

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export type Json = Readonly<Record<string, unknown>>;

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly paging?: { readonly cursors?: { readonly after?: string }; readonly next?: string };
}

export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** @throws ApiError */
  get<Answer>(path: string, params: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Answer> {
    const query = new URLSearchParams(params).toString();
    return this.#call(query === '' ? path : `${path}?${query}`, { ...(signal === undefined ? {} : { signal }) });
  }

  /** @throws ApiError */
  post<Answer>(path: string, params: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#call(path, { method: 'POST', body: new URLSearchParams(params) });
  }

  /** @throws ApiError */
  delete<Answer>(path: string): Promise<Answer> {
    return this.#call(path, { method: 'DELETE' });
  }

  async #call<Answer>(path: string, init: RequestInit): Promise<Answer> {
    const answer = await this.#fetch(path, init);
    const body = await answer.json().catch((error: unknown) => {
      if (error instanceof DOMException) throw error;
      throw new ApiError('The answer of the server cannot be read.', answer.status);
    });
    if (!answer.ok) throw new ApiError(wordsOf(body), answer.status);
    return body as Answer;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(path, { ...init, headers: { Authorization: `Bearer ${this.#token}` }, cache: 'no-store' });
    } catch (error) {
      if (error instanceof DOMException) throw error;
      throw new ApiError('The server cannot be reached now.', 0);
    }
  }
}

function wordsOf(body: unknown): string {
  const error = (body as { error?: { message?: unknown; error_user_msg?: unknown } } | null)?.error;
  const words = error?.error_user_msg ?? error?.message;
  return typeof words === 'string' ? words.replace(/^\(#-?\d+\)\s*/, '') : 'The server refused without a reason.';
}

/** The words for a person; faults of this page itself go on to the console. */
export function faultWords(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  throw error;
}
