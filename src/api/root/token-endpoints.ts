/** `/debug_token` and `/oauth/access_token`. */
import { z } from 'zod';
import type { TokenData } from '../../lifecycle/documents.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { tokenRequired } from '../access/faults.js';
import { OPERATOR } from '../access/scopes.js';
import { issueToken } from '../access/token-issue.js';
import { hashToken } from '../access/tokens.js';
import type { Viewer } from '../context/viewer.js';
import type { Answer, Call } from '../graph/call.js';
import { graphUnixTime } from '../graph/values.js';
import { text } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';

const APPLICATION = 'Airlock';
const LONG_LIVED_MS = 60 * 86_400_000;

export const debugParams = z.object({ input_token: text({ max: 1000 }) });

/**
 * The app token may inspect any token; other tokens only themselves or tokens of the same owner. Invalid tokens get a
 * result too.
 */
export async function debugToken(call: Call): Promise<Answer> {
  if (!call.viewer || !call.token) throw tokenRequired();
  const { input_token: input } = parseParams(debugParams, call.params);
  const appId = call.services.config.appId ?? '0';
  let viewer: Viewer;
  try {
    viewer = await call.services.tokens.read(input);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, subcode, message } = error.shape;
    return { body: { data: { app_id: appId, is_valid: false, error: { code, subcode, message }, scopes: [] } } };
  }
  const mayRead =
    call.viewer.ownerKind === 'app' || input === call.token.value || viewer.ownerId === call.viewer.ownerId;
  if (!mayRead) throw parameterError('Param input_token must be your own token, unless the app token is used');
  const expires = viewer.expiresMs === undefined ? 0 : graphUnixTime(viewer.expiresMs, call);
  const isPage = viewer.ownerKind === 'page';
  return {
    body: {
      data: {
        app_id: appId,
        type: viewer.ownerKind.toUpperCase(),
        application: APPLICATION,
        expires_at: expires,
        data_access_expires_at: expires,
        issued_at: graphUnixTime(viewer.issuedMs, call),
        is_valid: true,
        scopes: [...viewer.scopes],
        granular_scopes: [...viewer.scopes].map((scope) => ({ scope })),
        ...(viewer.ownerKind === 'app' ? {} : { user_id: viewer.ownerId }),
        ...(isPage ? { profile_id: viewer.ownerId } : {}),
      },
    },
  };
}

export const exchangeParams = z.object({
  grant_type: text({ max: 100 }).optional(),
  client_id: text({ max: 100 }).optional(),
  client_secret: text({ max: 1000 }).optional(),
  fb_exchange_token: text({ max: 1000 }).optional(),
  code: text({ max: 1000 }).optional(),
  redirect_uri: text({ max: 4000 }).optional(),
});

export async function exchangeToken(call: Call): Promise<Answer> {
  const given = parseParams(exchangeParams, call.params);
  const { appId, appSecret } = call.services.config;
  const isApp =
    appSecret !== undefined && sameSecret(given.client_id, appId) && sameSecret(given.client_secret, appSecret);
  if (given.grant_type === 'client_credentials') {
    if (!isApp) throw badCredentials();
    return { body: { access_token: `${appId}|${appSecret}`, token_type: 'bearer' } };
  }
  if (given.grant_type === 'fb_exchange_token') {
    // Otherwise anyone who reads a token in a log could keep it alive under another name.
    if (!isApp && call.viewer?.scopes.has(OPERATOR) !== true) throw badCredentials();
    if (given.fb_exchange_token === undefined) throw parameterError('The parameter fb_exchange_token is required');
    return longLived(call, given.fb_exchange_token);
  }
  throw parameterError(
    'Param grant_type must be one of {client_credentials, fb_exchange_token}; other tokens are issued by the operator',
  );
}

/** Issues a token with the same owner and scopes. It expires no later than its parent and is revoked with it. */
async function longLived(call: Call, token: string): Promise<Answer> {
  const viewer = await call.services.tokens.read(token);
  const found = await call.services.tokens.find(hashToken(token));
  if (found === undefined) throw parameterError('Param fb_exchange_token must be the token of a user or a Page');
  const data: TokenData = found.data;
  const expiresMs = Math.min(call.nowMs + LONG_LIVED_MS, viewer.expiresMs ?? Number.POSITIVE_INFINITY);
  const issued = await issueToken(call.services, {
    ownerId: data.ownerId,
    scopes: [...viewer.scopes],
    expiresMs,
    label: 'exchanged',
    from: call.address,
    parentId: found.id,
  });
  const expiresIn = Math.floor((expiresMs - call.nowMs) / 1000);
  return { body: { access_token: issued.token, token_type: 'bearer', expires_in: expiresIn } };
}

function sameSecret(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && hashToken(left) === hashToken(right);
}

function badCredentials(): ServiceError {
  return new ServiceError({
    code: 101,
    type: 'OAuthException',
    status: 400,
    message: 'Error validating application: client_id and client_secret of the application are required.',
    isTransient: false,
    audit: 'sign-in refused: application',
  });
}
