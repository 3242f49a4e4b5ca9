/** Copyright matches on the dashboard, decided as on the command line. */
import type { DashboardDeps } from '../../dashboard/dashboard.js';
import { defined } from '../../lib/objects.js';
import type { Store } from '../../ports/index.js';
import { decideMatch, listMatches, type MatchRow } from '../admin/matches.js';
import type { CutClip } from '../cluster/media-clips.js';
import type { Running } from './running.js';

const PAGE = 50;

export function matchReview({ core }: Pick<Running, 'core'>, cut: CutClip): DashboardDeps['matches'] {
  const { store, engine, clock, ids } = core;
  return {
    list: async ({ state, after }) => {
      const { rows, ...rest } = await listMatches({ store }, state, {
        limit: PAGE,
        ...defined({ after }),
      });
      return { rows: await withKinds(store, rows), ...rest };
    },
    decide: async (id, decision, by) => {
      const decided = await decideMatch({ store, broadcasts: engine.service, clock, ids }, id, decision, by);
      return (await withKinds(store, [decided]))[0] ?? decided;
    },
    clip: cut,
  };
}

/** With the kind of each subject, to which the page links; without it, if the subject was deleted. */
async function withKinds(
  { objects }: Pick<Store, 'objects'>,
  rows: readonly MatchRow[],
): Promise<readonly (MatchRow & { readonly subject_kind?: string })[]> {
  const found = await objects.getMany(rows.map(({ subject_id }) => subject_id));
  return rows.map((row, index) => {
    const kind = found[index]?.kind;
    return kind === undefined ? row : { ...row, subject_kind: kind };
  });
}
