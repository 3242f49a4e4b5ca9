/** Runs admin actions: on the socket of the running server if there is one, else on the store in this process. */
import { request } from 'node:http';
import { adminSocketPath } from '../../config/data-folder.js';
import type { Config } from '../../config/settings/schema.js';
import { isCode } from '../../lib/errors.js';
import { asOwnerOf } from '../../lib/folder-owner.js';
import { isListening } from '../../lib/sockets.js';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';

export type AdminInput = Readonly<Record<string, unknown>>;

/** The configured store, opened for one action. */
export interface DirectAdmin {
  run(action: string, input: AdminInput): Promise<unknown>;
  close(): Promise<void>;
}

export type OpenDirect = (config: Config, action: string) => Promise<DirectAdmin>;

export async function callAdmin(
  config: Config,
  action: string,
  input: AdminInput,
  openDirect: OpenDirect,
): Promise<unknown> {
  if (await isServing(config)) return callSocket(adminSocketPath(config), action, input);
  return asOwnerOf(config.dataDir, () => callDirect(config, action, input, openDirect));
}

async function callDirect(config: Config, action: string, input: AdminInput, openDirect: OpenDirect): Promise<unknown> {
  const direct = await openDirect(config, action);
  try {
    return await direct.run(action, input);
  } catch (error) {
    if (!isCode(error, 'SERVICE_ERROR')) throw error;
    const { code, message, userMessage } = (error as Refused).shape;
    throw new CliError(userMessage ?? message, exitOf(code), { cause: error });
  } finally {
    await direct.close();
  }
}

/** Whether a server is running on this data folder. */
export function isServing(config: Config): Promise<boolean> {
  return isListening(adminSocketPath(config));
}

/** Only on the socket of the running server. */
export function callSocketAdmin(config: Config, action: string, input: AdminInput): Promise<unknown> {
  return callSocket(adminSocketPath(config), action, input);
}

/** For actions that only a running server can execute. */
export async function callServer(config: Config, action: string, input: AdminInput): Promise<unknown> {
  if (!(await isServing(config)))
    throw new CliError(`no server is running on ${config.dataDir}: set AIRLOCK_DATA_DIR`, EXIT.unreachable);
  return callSocketAdmin(config, action, input);
}

const ANSWER_TIMEOUT_MS = 30_000;

function callSocket(socketPath: string, action: string, input: AdminInput): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: `/${action}`, method: 'POST', timeout: ANSWER_TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(resultOf(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
        } catch (error) {
          reject(error);
        }
      });
    });
    call.on('timeout', () =>
      call.destroy(new CliError(`the server did not answer on ${socketPath}`, EXIT.unreachable)),
    );
    call.on('error', reject);
    call.end(JSON.stringify(input));
  });
}

/** `ServiceError`, which an action throws in this process; the server sends the same. */
interface Refused {
  readonly shape: { readonly code: number; readonly message: string; readonly userMessage?: string };
}

/** Code of an invalid parameter, also of an ID that does not exist: both are wrong usage. */
const INVALID_PARAMETER = 100;
const exitOf = (code: unknown): ExitCode => (code === INVALID_PARAMETER ? EXIT.usage : EXIT.errorsFound);

function resultOf(answer: { result?: unknown; error?: { message?: unknown; code?: unknown } }): unknown {
  if (answer.error !== undefined) throw new CliError(String(answer.error.message), exitOf(answer.error.code));
  return answer.result;
}
