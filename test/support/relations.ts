/** Writes relations of users that no operation creates: tasks on a Page or group other than its manager's, and friends. */
import type { Role } from '../../src/api/access/scopes.js';
import { type Clock, edgeOf, type Store, type Write } from '../../src/ports/index.js';

interface Stored {
  readonly store: Store;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** No tasks remove the role. */
export function setRole(
  { store, clock }: Stored,
  ownerId: string,
  userId: string,
  tasks: Role['tasks'],
): Promise<void> {
  const score = clock.wallMs();
  const write = (id: string, edge: 'roles' | 'accounts', member: string): Write =>
    tasks.length === 0
      ? { op: 'edgeRemove', ...edgeOf(id, edge), member }
      : { op: 'edgeAdd', ...edgeOf(id, edge), member, score, value: { tasks } satisfies Role };
  return store.objects.commit([write(ownerId, 'roles', userId), write(userId, 'accounts', ownerId)]);
}

export function setFriends({ store, clock }: Stored, left: string, right: string): Promise<void> {
  const score = clock.wallMs();
  return store.objects.commit([
    { op: 'edgeAdd', ...edgeOf(left, 'friends'), member: right, score },
    { op: 'edgeAdd', ...edgeOf(right, 'friends'), member: left, score },
  ]);
}
