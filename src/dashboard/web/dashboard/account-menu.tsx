/** Who is signed in, and the ways out: of this browser, or of all. */
import { CircleUser } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type JSX, useState } from 'react';
import { useValue } from '../shared/value.js';
import { buttonClass, MENU_ITEM } from '../ui/classes.js';
import { messageOf } from './client/api.js';
import { useSession } from './client/session.js';

export function AccountMenu(props: { ownerId: string; leave: (everywhere: boolean) => Promise<void> }): JSX.Element {
  const { ownerId, leave } = props;
  const { feed } = useSession();
  const { owners } = useValue(feed.feed);
  const [fault, setFault] = useState('');
  const go = (everywhere: boolean): void => {
    setFault('');
    leave(everywhere).catch((error: unknown) => setFault(messageOf(error)));
  };
  const name = owners.find(({ id }) => id === ownerId)?.name ?? ownerId;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={buttonClass()} aria-label="Account">
        <CircleUser size={14} className="my-[3px]" aria-hidden="true" />
      </DropdownMenu.Trigger>
      {fault === '' ? null : (
        <span className="text-sm text-fail" role="alert">
          {fault}
        </span>
      )}
      <DropdownMenu.Content
        align="end"
        sideOffset={6}
        className="z-30 max-w-[300px] rounded-md border border-line bg-card p-1.5 text-sm shadow-lg"
      >
        <DropdownMenu.Label className="px-2.5 py-1.5 text-muted">
          Signed in as{' '}
          <b className="text-ink" dir="auto">
            {name}
          </b>
        </DropdownMenu.Label>
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => go(false)}>
          Sign out
        </DropdownMenu.Item>
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => go(true)}>
          Sign out everywhere
        </DropdownMenu.Item>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
