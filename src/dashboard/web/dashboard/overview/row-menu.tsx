/** The menu of a broadcast in the list: rename, duplicate, delete. */

import { useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type JSX, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { buttonClass, FIELD, LABEL, MENU_ITEM } from '../../ui/classes.js';
import { Confirm } from '../../ui/confirm.js';
import { FormDialog } from '../../ui/dialog.js';
import type { Api } from '../client/api.js';
import { messageOf } from '../client/api.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { LISTED_QUERY } from './listed.js';

type Asked = 'rename' | 'delete';

export function RowMenu({ view }: { view: BroadcastView }): JSX.Element {
  const { api } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const name = view.title ?? 'Untitled';
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setFault('');
    try {
      await act();
      // Those that the feed does not follow are read again.
      await queries.invalidateQueries({ queryKey: [LISTED_QUERY] });
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
      setAsked(undefined);
    }
  };
  return (
    <>
      <Menu view={view} busy={busy} ask={setAsked} copy={() => void run(() => duplicate(api, view))} />
      <Rename
        key={name}
        name={name}
        open={asked === 'rename'}
        busy={busy}
        onClose={() => setAsked(undefined)}
        onRename={(title) => void run(() => api.post(`/${view.id}`, { title }))}
      />
      <Confirm
        question={`Delete “${name}”?`}
        detail={isOver(view) ? 'Its recording, errors and report go with it.' : 'Its stream key is no longer accepted.'}
        yes="Delete"
        no="Keep it"
        open={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        onYes={() => void run(() => api.delete(`/${view.id}`))}
      />
      {fault === '' ? null : (
        <span className="absolute bottom-1 right-4 max-w-[70%] rounded-sm bg-card px-2 text-sm text-fail" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

function Menu(props: {
  view: BroadcastView;
  busy: boolean;
  ask: (asked: Asked) => void;
  copy: () => void;
}): JSX.Element {
  const { view, busy, ask, copy } = props;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={buttonClass('quiet')}
        aria-label={`More for ${view.title ?? 'Untitled'}`}
        aria-disabled={busy}
      >
        <EllipsisVertical size={14} className="my-[3px]" aria-hidden="true" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 rounded-md border border-line bg-card p-1.5 text-sm shadow-lg"
        >
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask('rename')}>
            Rename
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={copy}>
            Duplicate
          </DropdownMenu.Item>
          <DropdownMenu.Item
            className={MENU_ITEM}
            // The encoder would be disconnected: it is ended first, on its page.
            disabled={view.status === 'LIVE' || view.stream_state === 'connected'}
            onSelect={() => ask('delete')}
          >
            Delete
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Rename(props: {
  name: string;
  open: boolean;
  busy: boolean;
  onClose: () => void;
  onRename: (title: string) => void;
}): JSX.Element {
  const { name, open, busy, onClose, onRename } = props;
  const [title, setTitle] = useState(name);
  return (
    <FormDialog
      title="Rename broadcast"
      yes="Rename"
      open={open}
      busy={busy}
      onClose={onClose}
      onSubmit={() => onRename(title.trim())}
    >
      <label className={LABEL}>
        Title
        <input
          className={FIELD}
          dir="auto"
          maxLength={254}
          required
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
    </FormDialog>
  );
}

interface Copied {
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: { readonly value?: string };
}

/** A new broadcast with the same settings and a key of its own, whose page is shown. */
async function duplicate(api: Api, view: BroadcastView): Promise<void> {
  const { title, description, privacy } = await api.get<Copied>(`/${view.id}`, { fields: 'title,description,privacy' });
  const made = await api.post<{ readonly id: string }>(`/${view.from.id}/live_videos`, {
    status: view.goes_live_on_data ? 'LIVE_NOW' : 'UNPUBLISHED',
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(privacy?.value === undefined ? {} : { privacy: JSON.stringify({ value: privacy.value }) }),
    ...(view.input_streams === undefined ? {} : { enable_backup_ingest: 'true' }),
  });
  window.location.hash = linkTo.broadcast(made.id);
}
