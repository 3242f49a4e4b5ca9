/** A new broadcast: for whom, called what, live at once or on a word; then the URL and key for the encoder. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useValue } from '../shared/value.js';
import { faultWords } from './api.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { Fault, Loading } from './ui.js';

const STARTS = [
  { value: 'LIVE_NOW', title: 'Go live when the stream arrives' },
  { value: 'UNPUBLISHED', title: 'Preview first, go live by hand' },
  { value: 'SCHEDULED_UNPUBLISHED', title: 'Schedule' },
] as const;

/** Users must say who may see it before they go live; Pages and groups have their own audience. */
const AUDIENCES = [
  { value: 'EVERYONE', title: 'Everyone' },
  { value: 'ALL_FRIENDS', title: 'Friends' },
  { value: 'SELF', title: 'Only me' },
] as const;

/** Who broadcasts most comes first. */
const KINDS = ['page', 'group', 'user'];

export function CreatePage(): JSX.Element {
  const { feed, api } = useSession();
  const { owners, synced } = useValue(feed.feed);
  const pages = [...owners].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  const [chosen, setOwner] = useState<string>();
  const [title, setTitle] = useState('');
  const [start, setStart] = useState<string>('LIVE_NOW');
  const [planned, setPlanned] = useState('');
  const [audience, setAudience] = useState<string>('EVERYONE');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const owner = pages.find(({ id }) => id === chosen) ?? pages[0];
  if (owner === undefined)
    return synced ? <Fault words="This token belongs to no owner." /> : <Loading what="Reading owners" />;

  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
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
      setFault(faultWords(error));
      setBusy(false);
    }
  };

  return (
    <form class="card form" onSubmit={create}>
      <h1>New broadcast</h1>
      <label>
        Owner
        <select value={owner.id} onChange={(event) => setOwner(event.currentTarget.value)}>
          {pages.map(({ id, name, kind }) => (
            <option key={id} value={id}>
              {name} ({kind})
            </option>
          ))}
        </select>
      </label>
      <label>
        Title
        <input maxLength={254} required value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>Start</legend>
        {STARTS.map((each) => (
          <label key={each.value} class="choice">
            <input type="radio" name="start" checked={start === each.value} onChange={() => setStart(each.value)} />
            {each.title}
          </label>
        ))}
      </fieldset>
      {start === 'SCHEDULED_UNPUBLISHED' ? (
        <label>
          Planned start
          <input
            type="datetime-local"
            required
            value={planned}
            onInput={(event) => setPlanned(event.currentTarget.value)}
          />
        </label>
      ) : null}
      {owner.kind === 'user' ? (
        <label>
          Who may see it
          <select value={audience} onChange={(event) => setAudience(event.currentTarget.value)}>
            {AUDIENCES.map((each) => (
              <option key={each.value} value={each.value}>
                {each.title}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {fault === '' ? null : <Fault words={fault} />}
      <div class="buttons">
        <button type="submit" class="button button-main" disabled={busy}>
          Create
        </button>
        <a class="button" href={linkTo.broadcasts}>
          Cancel
        </a>
      </div>
    </form>
  );
}
