/**
 * Receives commands in a running server: HTTP on a Unix socket in the data folder that only its owner may open,
 * `POST /<action>` with a JSON object, answered by `{"result": …}` or `{"error": {message, code}}`.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isRecord } from '../../lib/objects.js';
import type { Log } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { AdminActions } from './context.js';

/** Titles and descriptions are the longest inputs. */
const MAX_BODY_BYTES = 256 * 1024;

/** Answers requests on that socket. */
export function adminHandler(actions: AdminActions, log: Log): RequestListener {
  return (request, response) => {
    answer(request, actions)
      .catch((error: unknown) => fault(error, log))
      .then((reply) => send(response, reply))
      .catch((error: unknown) => log.error({ error }, 'an answer to a command could not be sent'));
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function answer(request: IncomingMessage, actions: AdminActions): Promise<Reply> {
  const name = (request.url ?? '').slice(1);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (request.method !== 'POST' || action === undefined) {
    return { status: 404, body: { error: { message: `the running server does not know '${name}'`, code: 1 } } };
  }
  const input = await readObject(request);
  if (input === undefined)
    return { status: 400, body: { error: { message: 'the body must be a JSON object', code: 100 } } };
  return { status: 200, body: { result: await action(input) } };
}

async function readObject(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
    return isRecord(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fault(error: unknown, log: Log): Reply {
  if (error instanceof ServiceError) {
    const { status, code, message, userMessage } = error.shape;
    return { status, body: { error: { message: userMessage ?? message, code } } };
  }
  log.error({ error }, 'a command failed');
  return { status: 500, body: { error: { message: error instanceof Error ? error.message : String(error), code: 1 } } };
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(reply.body));
}
