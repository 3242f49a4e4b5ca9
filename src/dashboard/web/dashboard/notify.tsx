/** A sound and a desktop notification for each new error, if the user asked for them. */

import { Bell, BellOff } from 'lucide-react';
import { type JSX, useEffect, useRef, useState } from 'react';
import { visible } from '../../../lib/visible.js';
import { takeNewErrors } from '../shared/new-errors.js';
import { titleOf } from '../shared/verdicts.js';
import { Button } from '../ui/button.js';
import { Panel } from '../ui/panel.js';
import { beep } from './client/beep.js';
import { useSession } from './client/session.js';

const WANTED = 'airlock.notify';

export function NotifySwitch(): JSX.Element {
  const [on, setOn] = useState(() => window.localStorage.getItem(WANTED) === 'on');
  const [permission, setPermission] = useState(permissionNow);
  useNotifications(on);
  const toggle = async (): Promise<void> => {
    const next = !on;
    if (next) {
      beep();
      // Without permission, the sound remains.
      if ('Notification' in window) await Notification.requestPermission();
      setPermission(permissionNow());
    }
    window.localStorage.setItem(WANTED, next ? 'on' : 'off');
    setOn(next);
  };
  const Icon = on ? Bell : BellOff;
  const name = (
    <>
      <Icon size={14} className="my-[3px]" aria-hidden="true" />
      <span className="max-sm:sr-only">Alerts {on ? 'on' : 'off'}</span>
    </>
  );
  return (
    <Panel button={name} title="Alerts">
      <h2>Alerts</h2>
      <p className="my-2 text-sm text-muted" role="status">
        {on ? 'On' : 'Off'}: a sound{permission === 'granted' ? ' and a notification' : ''} for each new error of any
        broadcast. {REASONS[permission]}
      </p>
      <Button onClick={() => void toggle()}>{on ? 'Turn alerts off' : 'Turn alerts on'}</Button>
    </Panel>
  );
}

type Permission = NotificationPermission | 'unsupported';

const REASONS: Readonly<Record<Permission, string>> = {
  granted: '',
  default: 'Your browser asks whether it may show notifications.',
  denied: 'Your browser blocks notifications of this page. Allow them in its settings for this site.',
  unsupported: 'Browsers show notifications over HTTPS and on localhost only.',
};

const permissionNow = (): Permission => ('Notification' in window ? Notification.permission : 'unsupported');

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
