/** Form for a new broadcast: owner, title, start and audience. */
import { type JSX, type SubmitEvent, useState } from 'react';
import type { OwnerView } from '../../view/protocol.js';
import { useValue } from '../shared/value.js';
import { Button } from '../ui/button.js';
import { Fault } from '../ui/callout.js';
import { Loading } from '../ui/card.js';
import { buttonClass, CARD, classes, FIELD, LABEL } from '../ui/classes.js';
import { messageOf } from './client/api.js';
import { linkTo } from './client/route.js';
import { useSession } from './client/session.js';

const STARTS = [
  { value: 'LIVE_NOW', title: 'Go live when the stream arrives' },
  { value: 'UNPUBLISHED', title: 'Preview first, go live manually' },
  { value: 'SCHEDULED_UNPUBLISHED', title: 'Schedule' },
] as const;

/** Required for users; Pages and groups have their own audience. */
const AUDIENCES = [
  { value: 'EVERYONE', title: 'Everyone' },
  { value: 'ALL_FRIENDS', title: 'Friends' },
  { value: 'SELF', title: 'Only me' },
] as const;

/** The most likely owner of a broadcast first. */
const KINDS = ['page', 'group', 'user'];

type Choice = { readonly value: string; readonly title: string };

interface NewBroadcast {
  readonly title: string;
  readonly start: string;
  /** Value of the `datetime-local` input. */
  readonly planned: string;
  readonly audience: string;
}

const DRAFT: NewBroadcast = { title: '', start: 'LIVE_NOW', planned: '', audience: 'EVERYONE' };

export function CreatePage(): JSX.Element {
  const { feed } = useSession();
  const { owners, synced } = useValue(feed.feed);
  const pages = [...owners].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  const [chosen, setOwner] = useState<string>();
  const [draft, setDraft] = useState(DRAFT);
  const { create, busy, fault } = useCreate();
  const owner = pages.find(({ id }) => id === chosen) ?? pages[0];
  if (owner === undefined)
    return synced ? <Fault message="This token has no owner." /> : <Loading what="Loading owners" />;

  const change = (changed: Partial<NewBroadcast>): void => setDraft((before) => ({ ...before, ...changed }));
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!busy) void create(owner, draft);
  };
  const named = pages.map(({ id, name, kind }) => ({ value: id, title: `${name} (${kind})` }));
  return (
    <form className={classes(CARD, 'mx-auto flex max-w-xl flex-col gap-4')} onSubmit={submit}>
      <h1>New broadcast</h1>
      <Select label="Owner" value={owner.id} choices={named} onChange={setOwner} />
      <label className={LABEL}>
        Title
        <input
          className={FIELD}
          maxLength={254}
          required
          dir="auto"
          value={draft.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </label>
      <StartFields draft={draft} change={change} />
      {owner.kind === 'user' ? (
        <Select
          label="Audience"
          value={draft.audience}
          choices={AUDIENCES}
          onChange={(audience) => change({ audience })}
        />
      ) : null}
      {fault === '' ? null : <Fault message={fault} />}
      <div className="inline-flex flex-wrap items-center gap-2">
        <Button type="submit" kind="main" aria-disabled={busy}>
          Create
        </Button>
        <a className={buttonClass()} href={linkTo.broadcasts}>
          Cancel
        </a>
      </div>
    </form>
  );
}

function useCreate() {
  const { api } = useSession();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const create = async (owner: OwnerView, { title, start, planned, audience }: NewBroadcast): Promise<void> => {
    setBusy(true);
    setFault('');
    try {
      const made = await api.post<{ id: string }>(`/${owner.id}/live_videos`, {
        title: title.trim(),
        status: start,
        ...(owner.kind === 'user' ? { privacy: JSON.stringify({ value: audience }) } : {}),
        ...(start === 'SCHEDULED_UNPUBLISHED'
          ? { event_params: JSON.stringify({ start_time: Math.round(Date.parse(planned) / 1000) }) }
          : {}),
      });
      window.location.hash = linkTo.broadcast(made.id);
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
    }
  };
  return { create, busy, fault };
}

/** How the broadcast goes live; the planned start if it is scheduled. */
function StartFields(props: { draft: NewBroadcast; change: (changed: Partial<NewBroadcast>) => void }): JSX.Element {
  const { draft, change } = props;
  return (
    <>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 text-sm font-semibold">Start</legend>
        {STARTS.map(({ value, title }) => (
          <label key={value} className="flex items-center gap-2">
            <input
              type="radio"
              name="start"
              checked={draft.start === value}
              onChange={() => change({ start: value })}
            />
            {title}
          </label>
        ))}
      </fieldset>
      {draft.start === 'SCHEDULED_UNPUBLISHED' ? (
        <label className={LABEL}>
          Planned start
          <input
            className={FIELD}
            type="datetime-local"
            required
            value={draft.planned}
            onChange={(event) => change({ planned: event.currentTarget.value })}
          />
        </label>
      ) : null}
    </>
  );
}

function Select(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
}): JSX.Element {
  const { label, value, choices, onChange } = props;
  return (
    <label className={LABEL}>
      {label}
      <select className={FIELD} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </label>
  );
}
