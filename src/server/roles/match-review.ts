/** Copyright matches on the dashboard, decided as on the command line. */
import type { DashboardDeps } from '../../dashboard/dashboard.js';
import { decideMatch, listMatches } from '../admin/matches.js';
import type { CutClip } from '../cluster/media-clips.js';
import type { Running } from './running.js';

const PAGE = 50;

export function matchReview({ core }: Running, cut: CutClip): DashboardDeps['matches'] {
  const { store, engine, clock, ids } = core;
  return {
    list: ({ state, after }) =>
      listMatches({ store }, state, { limit: PAGE, ...(after === undefined ? {} : { after }) }),
    decide: (id, decision, by) => decideMatch({ store, broadcasts: engine.service, clock, ids }, id, decision, by),
    clip: cut,
  };
}
