/** The whole page: files to choose, bounds, the list of files, and the result of one of them. */
import { Upload } from 'lucide-react';
import { type DragEvent, type JSX, useState } from 'react';
import { visible } from '../../../lib/visible.js';
import { houseSpec } from '../../../spec/house.js';
import { bytes, plural } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/callout.js';
import { CARD, classes, FILE_BUTTON } from '../ui/classes.js';
import { Logo } from '../ui/logo.js';
import { Select } from '../ui/select.js';
import { ThemeSwitch } from '../ui/theme-switch.js';
import { VerdictSign } from '../ui/verdict-sign.js';
import { type Check, Checks, MAX_FILES } from './checks.js';
import { fileLine } from './file-rows.js';
import { FileView } from './file-view.js';
import type { MeantAs } from './messages.js';
import { DASHBOARD } from './start-worker.js';

const checks = new Checks();

export function CheckPage(): JSX.Element {
  const list = useValue(checks.list);
  const [chosen, setChosen] = useState<number>();
  const [notice, setNotice] = useState('');
  const shown = list.find(({ id }) => id === chosen) ?? list.find(({ state }) => state.kind === 'judged');
  const take = (files: readonly File[], folders: readonly string[]): void => {
    const tooMany = checks.add(files);
    setNotice(
      [
        ...folders.map((name) => `${visible(name)} is a folder: drop the files in it.`),
        ...(tooMany === 0
          ? []
          : [`${plural(tooMany, 'file')} more than the ${MAX_FILES} that are held: remove some first.`]),
      ].join(' '),
    );
  };
  return (
    <>
      <header className="print:hidden flex flex-wrap items-center gap-x-6 gap-y-1 border-b border-line bg-card px-4 py-2.5 md:px-6">
        <span className="flex items-center gap-2 text-lg font-bold text-ink">
          <Logo /> Airlock
        </span>
        {DASHBOARD === undefined ? null : (
          <nav aria-label="Pages">
            <a className="text-muted no-underline hover:text-ink" href={DASHBOARD}>
              Dashboard
            </a>
          </nav>
        )}
        <div className="ml-auto">
          <ThemeSwitch />
        </div>
      </header>
      <main className="mx-auto max-w-[1600px] p-4 md:p-6">
        <h1 className="mb-1">Check recordings</h1>
        <p className="mb-4 text-muted">
          Recordings are judged in this browser, as a broadcast or an upload would be. Nothing of them leaves this
          machine.
        </p>
        <FileDrop onFiles={take} />
        {notice === '' ? null : (
          <Callout tone="warn" role="alert">
            {notice}
          </Callout>
        )}
        <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <Meaning />
          <OwnBounds />
        </div>
        {list.length === 0 ? null : (
          <section className={CARD} aria-label="Files">
            <ul className="divide-y divide-line">
              {list.map((check) => (
                <FileRow key={check.id} check={check} current={check === shown} onShow={() => setChosen(check.id)} />
              ))}
            </ul>
          </section>
        )}
        {shown?.state.kind === 'judged' ? <FileView key={shown.id} judged={shown.state.judged} /> : null}
      </main>
    </>
  );
}

function FileDrop({ onFiles }: { onFiles: (files: readonly File[], folders: readonly string[]) => void }): JSX.Element {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent<HTMLElement>): void => {
    event.preventDefault();
    setOver(false);
    const { files, folders } = dropped(event.dataTransfer);
    onFiles(files, folders);
  };
  return (
    <label
      className={classes(
        'mb-4 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 rounded-md border-2 border-dashed bg-card p-8',
        over ? 'border-accent' : 'border-line',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <span className="text-muted">Drop recordings here, or</span>
      <span className={FILE_BUTTON}>
        <Upload size={14} aria-hidden="true" />
        Choose files
      </span>
      <input
        className="sr-only"
        type="file"
        multiple
        onChange={({ currentTarget: input }) => {
          onFiles([...(input.files ?? [])], []);
          // A file may be chosen twice.
          input.value = '';
        }}
      />
    </label>
  );
}

/** A folder is dropped as a file that cannot be read. */
function dropped(data: DataTransfer): { readonly files: readonly File[]; readonly folders: readonly string[] } {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of data.items) {
    const file = item.getAsFile();
    if (file === null) continue;
    if (item.webkitGetAsEntry()?.isDirectory === true) folders.push(file.name);
    else files.push(file);
  }
  return { files, folders };
}

const MEANINGS: Readonly<Record<MeantAs, string>> = { live: 'A live stream', upload: 'An upload' };

function Meaning(): JSX.Element {
  const meantAs = useValue(checks.meantAs);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span aria-hidden="true">Meant as:</span>
      <Select label="Meant as" value={meantAs} titles={MEANINGS} onChange={(value) => checks.judgeAs(value)} />
    </span>
  );
}

function OwnBounds(): JSX.Element {
  const { house, problem } = useValue(checks.bounds);
  const ofServer = houseSpec();
  const name = house?.name ?? ofServer?.name;
  return (
    <>
      <span>
        Judged by: <b>{name === undefined ? 'the published specification' : visible(name)}</b>
      </span>
      <label>
        <span className={FILE_BUTTON}>Own bounds</span>
        <input
          className="sr-only"
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget: input }) => {
            const file = input.files?.[0];
            if (file !== undefined) void checks.judgeBy(file);
            input.value = '';
          }}
        />
      </label>
      {house === undefined ? null : (
        <Button onClick={() => void checks.judgeBy(undefined)}>
          {ofServer === undefined ? 'Published bounds' : 'Bounds of the server'}
        </Button>
      )}
      {problem === '' ? null : (
        <Callout tone="fail" role="alert" className="mb-0 basis-full">
          {visible(problem)}
        </Callout>
      )}
    </>
  );
}

function FileRow(props: { check: Check; current: boolean; onShow: () => void }): JSX.Element {
  const { check, current, onShow } = props;
  const { id, file, state } = check;
  const name = visible(file.name);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-semibold">
          {name} <span className="font-normal text-muted">{bytes(file.size)}</span>
        </p>
        <State check={check} />
      </div>
      <span className="inline-flex flex-wrap gap-1.5">
        {state.kind === 'judged' ? (
          <Button aria-pressed={current} aria-label={`Show the result of ${name}`} onClick={onShow}>
            Result
          </Button>
        ) : null}
        {state.kind === 'running' || state.kind === 'waiting' ? (
          <Button aria-label={`Cancel ${name}`} onClick={() => checks.cancel(id)}>
            Cancel
          </Button>
        ) : (
          <Button aria-label={`Remove ${name}`} onClick={() => checks.remove(id)}>
            Remove
          </Button>
        )}
        {state.kind === 'canceled' ? (
          <Button aria-label={`Check ${name} again`} onClick={() => checks.again(id)}>
            Check again
          </Button>
        ) : null}
      </span>
    </li>
  );
}

const SIGNS = { pass: 'pass', warn: 'warn', fail: 'fail', quiet: 'unjudged' } as const;

function State({ check: { file, state } }: { check: Check }): JSX.Element {
  switch (state.kind) {
    case 'waiting':
      return <p className="text-sm text-muted">Waiting</p>;
    case 'canceled':
      return <p className="text-sm text-muted">Canceled</p>;
    case 'refused':
      return (
        <p className="text-sm text-fail" role="alert">
          Not judged: {visible(state.reason)}.
        </p>
      );
    case 'running': {
      const percent = Math.floor((100 * state.bytes) / Math.max(1, file.size));
      const found = state.findings === 0 ? '' : ` · ${plural(state.findings, 'finding')} so far`;
      return (
        <div className="flex flex-col gap-1">
          <progress className="h-2.5 w-full" max={100} value={percent} aria-label={`Reading ${visible(file.name)}`} />
          <span className="text-sm text-muted">{`${percent} % of ${bytes(file.size)}${found}`}</span>
        </div>
      );
    }
    case 'judged': {
      const { tone, sentence } = fileLine(state.judged.result);
      return (
        <p className="flex items-center gap-2 text-sm">
          <VerdictSign verdict={SIGNS[tone]} silent /> <span className="min-w-0">{visible(sentence)}</span>
        </p>
      );
    }
  }
}
