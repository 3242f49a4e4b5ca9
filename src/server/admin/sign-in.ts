/** One-time sign-in links for the dashboard, from the process that will redeem them: for `airlock sign-in`. */
import { audit } from '../../api/access/audit.js';
import { SIGN_IN, type SignInCodes, signInLink } from '../../api/access/sign-in-codes.js';
import type { OwnerData } from '../../lifecycle/documents.js';
import { ALIAS, type Clock, type IdSource, type Store } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { AdminActions } from './context.js';
import { type AdminInput, optionalText } from './context.js';

export interface SignInDeps {
  readonly store: Pick<Store, 'objects'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly codes: SignInCodes;
  readonly dashboardUrl: string;
}

export function signInActions(deps: SignInDeps): AdminActions {
  return { 'sign-in.link': (input) => issueLink(deps, input) };
}

/** For the quickstart's user, as the link of the start, or for the owner that is given. */
async function issueLink(deps: SignInDeps, input: AdminInput): Promise<unknown> {
  const { store, clock, codes, dashboardUrl } = deps;
  const given = optionalText(input, 'owner');
  const ownerId = given ?? (await quickstartUser(store));
  const owner = await store.objects.get<OwnerData>(ownerId);
  if (owner?.kind !== 'page' && owner?.kind !== 'group' && owner?.kind !== 'user')
    throw parameterError(`No Page, group or user has the id ${ownerId}`);
  const readsAll = given === undefined || input.operator_read === true;
  const code = codes.issue({ ownerId, readsAll });
  await audit(deps, { action: 'sign-in link issued', who: 'command line', target: ownerId, owner: ownerId });
  return {
    sign_in_url: signInLink(dashboardUrl, code),
    owner_id: ownerId,
    owner_name: owner.data.name,
    expires_ms: clock.wallMs() + SIGN_IN.codeMs,
  };
}

async function quickstartUser({ objects }: Pick<Store, 'objects'>): Promise<string> {
  const id = await objects.resolveAlias(ALIAS.quickstart);
  const found = id === undefined ? undefined : await objects.get<{ readonly user_id?: string }>(id);
  const userId = found?.data.user_id;
  if (userId === undefined)
    throw parameterError('This server has no quickstart user: give the ID of an owner (npx airlock owner list)');
  return userId;
}
