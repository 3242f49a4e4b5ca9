/** A sound and a desktop notification for each new error, if the user asked for them. */

import { Bell, BellOff } from 'lucide-react';
import { type JSX, useEffect, useRef, useState } from 'react';
import { visible } from '../../../lib/visible.js';
import { takeNewErrors } from '../shared/new-errors.js';
import { titleOf } from '../shared/verdicts.js';
import { Button } from '../ui/button.js';
import { beep } from './client/beep.js';
import { useSession } from './client/session.js';

const WANTED = 'airlock.notify';

export function NotifySwitch(): JSX.Element {
  const [on, setOn] = useState(() => window.localStorage.getItem(WANTED) === 'on');
  useNotifications(on);
  const toggle = async (): Promise<void> => {
    const next = !on;
    if (next) {
      beep();
      // Without permission, the sound remains. Browsers offer notifications over HTTPS and on localhost only.
      if ('Notification' in window) await Notification.requestPermission();
    }
    window.localStorage.setItem(WANTED, next ? 'on' : 'off');
    setOn(next);
  };
  const Icon = on ? Bell : BellOff;
  return (
    <Button
      onClick={() => void toggle()}
      aria-pressed={on}
      aria-label="Notify me of new errors"
      title="A sound and a notification for each new error"
    >
      <Icon size={14} className="my-[3px]" aria-hidden="true" />
    </Button>
  );
}

function useNotifications(on: boolean): void {
  const { feed } = useSession();
  const known = useRef<Set<string>>(new Set());
  useEffect(() => {
    let isFirst = true;
    const look = (): void => {
      const state = feed.feed.get();
      const found = takeNewErrors(state, known.current, isFirst || !on);
      if (state.synced) isFirst = false;
      if (found.length === 0) return;
      beep();
      if (!('Notification' in window) || Notification.permission !== 'granted') return;
      for (const { record, title } of found.slice(0, 3)) {
        new Notification(visible(`${titleOf(record)}: ${title}`), { body: record.remediation, tag: record.id });
      }
    };
    look();
    return feed.feed.subscribe(look);
  }, [feed, on]);
}
