/** Sends a tried request: with the session of the browser, or as anyone where no token is needed. */
import { SESSION_API_PATH, SESSION_HEADER, SESSION_PATH } from '../../view/protocol.js';
import { isFile, type Operation } from './document.js';

const OWN_PAGE = { [SESSION_HEADER]: '1' };

/** Whether this browser is signed in to the dashboard. */
export async function isSignedIn(): Promise<boolean> {
  const answer = await fetch(SESSION_PATH, { headers: OWN_PAGE, cache: 'no-store' });
  if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`);
  const { session } = (await answer.json()) as { readonly session: object | null };
  return session !== null;
}

export interface Result {
  readonly status: number;
  readonly tookMs: number;
  readonly text: string;
}

/** @throws Error when the server cannot be reached */
export async function send(operation: Operation, values: FormData): Promise<Result> {
  const { method, params, needsToken } = operation;
  const path = pathOf(operation, values);
  const query = new URLSearchParams();
  const form = new FormData();
  for (const { name, place } of params) {
    for (const value of values.getAll(name).filter(isGiven)) {
      if (place === 'form') form.append(name, value);
      else if (place === 'query' && typeof value === 'string') query.append(name, value);
    }
  }
  const url = `${needsToken ? SESSION_API_PATH : ''}${path}${query.size > 0 ? `?${query}` : ''}`;
  const body = method === 'POST' ? { body: params.some(isFile) ? form : textsOf(form) } : {};
  const startMs = performance.now();
  const answer = await fetch(url, { method, headers: needsToken ? OWN_PAGE : {}, cache: 'no-store', ...body });
  const text = await answer.text();
  return { status: answer.status, tookMs: performance.now() - startMs, text: pretty(text) };
}

const isGiven = (value: FormDataEntryValue): boolean => (typeof value === 'string' ? value !== '' : value.size > 0);

function pathOf({ path, params }: Operation, values: FormData): string {
  return params
    .filter(({ place }) => place === 'path')
    .reduce((made, { name }) => made.replace(`{${name}}`, encodeURIComponent(String(values.get(name) ?? ''))), path);
}

function textsOf(form: FormData): URLSearchParams {
  const texts = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === 'string') texts.append(name, value);
  return texts;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
