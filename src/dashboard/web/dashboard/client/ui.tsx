/** Components of the dashboard that know its session or its data. */
import type { ComponentProps, JSX } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { plural } from '../../shared/format.js';
import { stateLabel } from '../../shared/verdicts.js';
import { ActionButton as Action } from '../../ui/button.js';
import { Badge } from '../../ui/callout.js';
import { StatePill } from '../../ui/state-pill.js';
import { messageOf } from './api.js';

export function BroadcastState({ view }: { view: BroadcastView }): JSX.Element {
  return <StatePill {...stateLabel(view)} />;
}

export function OpenBadges({ errors, warnings }: { errors: number; warnings: number }): JSX.Element | null {
  if (errors + warnings === 0) return null;
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {errors > 0 ? <Badge tone="fail">{plural(errors, 'error')}</Badge> : null}
      {warnings > 0 ? <Badge tone="warn">{plural(warnings, 'warning')}</Badge> : null}
    </span>
  );
}

/** A button for a call of the HTTP interface. */
export function ActionButton(props: Omit<ComponentProps<typeof Action>, 'messageOf'>): JSX.Element {
  return <Action {...props} messageOf={messageOf} />;
}
