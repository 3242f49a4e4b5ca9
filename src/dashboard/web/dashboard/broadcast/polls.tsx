/** Polls of a broadcast, with their votes. New ones can be created while it is live. */
import { type JSX, type SubmitEvent, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { plural } from '../../shared/format.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Card } from '../../ui/card.js';
import { FIELD, LABEL } from '../../ui/classes.js';
import { messageOf, type Page } from '../client/api.js';
import { useRows } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface PollRow {
  readonly id: string;
  readonly question: string;
  readonly status: 'closed' | 'voting_open' | 'results_open';
  readonly poll_options?: Page<{ readonly id: string; readonly text: string; readonly total_votes?: number }>;
}

const STATES: Readonly<Record<PollRow['status'], string>> = {
  closed: 'Closed',
  voting_open: 'Voting is open',
  results_open: 'Results are shown',
};

const SHOWN = { fields: 'id,question,status,poll_options{id,text,total_votes}' } as const;

/** `version`: how often polls have changed, by the feed. */
export function Polls({ view, version }: { view: BroadcastView; version: number }): JSX.Element | null {
  const { api } = useSession();
  const live = view.status === 'LIVE';
  const { rows: polls, fault, read: load } = useRows<PollRow>(api, `/${view.id}/polls`, SHOWN, version);
  if (!live && (polls === undefined || polls.length === 0)) return null;
  const act = (poll: PollRow, action: string) => () => api.post(`/${poll.id}`, { action }).then(load);
  return (
    <Card title="Polls" folds>
      {fault === '' ? null : <Fault message={fault} retry={() => void load()} />}
      {(polls ?? []).map((poll) => (
        <article key={poll.id} className="border-t border-line py-3">
          <h3 dir="auto">{poll.question}</h3>
          <p className="text-sm text-muted">{STATES[poll.status]}</p>
          <Votes poll={poll} />
          <div className="inline-flex flex-wrap items-center gap-2">
            {poll.status === 'voting_open' ? null : (
              <ActionButton act={act(poll, 'SHOW_VOTING')}>Open voting</ActionButton>
            )}
            {poll.status === 'results_open' ? null : (
              <ActionButton act={act(poll, 'SHOW_RESULTS')}>Show results</ActionButton>
            )}
            {poll.status === 'closed' ? null : <ActionButton act={act(poll, 'CLOSE')}>Close</ActionButton>}
            <ActionButton
              confirm={{ question: 'Delete this poll and its votes?', yes: 'Delete poll', no: 'Keep poll' }}
              act={act(poll, 'DELETE_POLL')}
            >
              Delete
            </ActionButton>
          </div>
        </article>
      ))}
      {live ? (
        <details>
          <summary>New poll</summary>
          <NewPoll id={view.id} onMade={() => void load()} />
        </details>
      ) : null}
    </Card>
  );
}

function Votes({ poll }: { poll: PollRow }): JSX.Element {
  const options = poll.poll_options?.data ?? [];
  const all = options.reduce((sum, option) => sum + (option.total_votes ?? 0), 0);
  return (
    <ul className="my-2 max-w-[480px]">
      {options.map((option) => {
        const votes = option.total_votes ?? 0;
        return (
          <li key={option.id} className="mb-1.5 grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5">
            <span dir="auto">{option.text}</span>
            <span className="text-sm text-muted">{plural(votes, 'vote')}</span>
            <span className="col-span-2 h-1.5 overflow-hidden rounded-sm bg-ground" aria-hidden="true">
              <span
                className="block h-full bg-accent motion-safe:transition-[width] motion-safe:duration-300"
                style={{ width: `${all === 0 ? 0 : (100 * votes) / all}%` }}
              />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function NewPoll({ id, onMade }: { id: string; onMade: () => void }): JSX.Element {
  const { api } = useSession();
  const [question, setQuestion] = useState('');
  const [options, setOptions] = useState('');
  const [fault, setFault] = useState('');
  const create = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setFault('');
    const listed = options.split('\n').flatMap((line) => line.trim() || []);
    if (listed.length < 2) {
      setFault('Enter at least two options, one per line.');
      return;
    }
    try {
      await api.post(`/${id}/polls`, {
        question: question.trim(),
        options: JSON.stringify(listed),
        default_open: 'true',
      });
      setQuestion('');
      setOptions('');
      onMade();
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  return (
    <form className="flex max-w-xl flex-col gap-4 pt-3" onSubmit={(event) => void create(event)}>
      <label className={LABEL}>
        Question
        <input
          className={FIELD}
          required
          dir="auto"
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
        />
      </label>
      <label className={LABEL}>
        Options, one per line
        <textarea
          className={FIELD}
          rows={3}
          required
          dir="auto"
          value={options}
          onChange={(event) => setOptions(event.currentTarget.value)}
        />
      </label>
      {fault === '' ? null : <Fault message={fault} />}
      <div className="inline-flex flex-wrap items-center gap-2">
        <Button type="submit">Ask viewers</Button>
      </div>
    </form>
  );
}
