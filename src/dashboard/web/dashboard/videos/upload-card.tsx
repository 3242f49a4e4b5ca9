/** Upload of a local file as a video, chosen or dropped; it can be stopped and resumed. */
import { Upload } from 'lucide-react';
import { type JSX, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { UPLOAD } from '../../../../spec/upload.js';
import type { OwnerView } from '../../../view/protocol.js';
import { bytes, duration } from '../../shared/format.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { CARD, classes, FIELD, FILE_BUTTON, LABEL } from '../../ui/classes.js';
import { messageOf } from '../client/api.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { TitleField } from './title-field.js';
import { TransferRate } from './transfer-rate.js';
import { type UnfinishedUpload, type UploadProgress, unfinishedUploads, uploadVideo } from './upload.js';

const ACCEPTED = ['video/*', ...UPLOAD.containers.map((name) => `.${name}`)].join(',');

export function UploadCard({ owners }: { owners: readonly OwnerView[] }): JSX.Element | null {
  const targets = owners
    .filter(({ kind }) => kind !== 'user')
    .sort((a, b) => Number(a.kind === 'group') - Number(b.kind === 'group'));
  const [chosen, setOwner] = useState<string>();
  const [file, setFile] = useState<File>();
  const [title, setTitle] = useState('');
  const { progress, fault, setFault, upload, stop } = useUpload();
  const owner = targets.find(({ id }) => id === chosen) ?? targets[0];
  if (owner === undefined) return null;

  const take = (picked: File): void => {
    setFile(picked);
    setTitle(picked.name.replace(/\.[^.]*$/, ''));
    setFault('');
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (file !== undefined) void upload(owner.id, file, title.trim());
  };
  const isRunning = progress !== undefined;
  return (
    <form className={CARD} onSubmit={submit}>
      <h2 className="mb-2">Upload a video</h2>
      {isRunning ? null : <Unfinished />}
      <FileDrop file={file} disabled={isRunning} onFile={take} />
      {file === undefined ? null : (
        <div className="mt-3.5 flex flex-wrap items-end gap-x-4 gap-y-3">
          <label className={LABEL}>
            Owner
            <select
              className={FIELD}
              value={owner.id}
              disabled={isRunning}
              onChange={(event) => setOwner(event.currentTarget.value)}
            >
              {targets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <TitleField value={title} disabled={isRunning} onChange={setTitle} />
          {isRunning ? (
            <Button key="stop" onClick={stop}>
              Pause
            </Button>
          ) : (
            <Button key="upload" type="submit" kind="main">
              Upload
            </Button>
          )}
        </div>
      )}
      {progress === undefined ? null : <Progress {...progress} />}
      {fault === '' ? null : <Fault message={`${fault} Press Upload to resume.`} />}
    </form>
  );
}

/** One upload at a time; `progress` is undefined while none runs. */
function useUpload() {
  const { api } = useSession();
  const [progress, setProgress] = useState<UploadProgress>();
  const [fault, setFault] = useState('');
  const running = useRef<AbortController | undefined>(undefined);
  const upload = async (ownerId: string, file: File, title: string): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setFault('');
    setProgress({ sent: 0, size: file.size, waiting: false });
    try {
      const id = await uploadVideo(api, ownerId, file, title, controller.signal, setProgress);
      window.location.hash = linkTo.video(id);
    } catch (error) {
      setProgress(undefined);
      if (!controller.signal.aborted) setFault(messageOf(error));
    }
  };
  return { progress, fault, setFault, upload, stop: () => running.current?.abort() };
}

/** After a reload, the browser holds no file: it must be chosen again. */
function Unfinished(): JSX.Element | null {
  const [uploads, setUploads] = useState<readonly UnfinishedUpload[]>(unfinishedUploads);
  if (uploads.length === 0) return null;
  return (
    <ul className="my-2 text-sm">
      {uploads.map((upload) => (
        <li key={upload.key} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
          <span>
            Unfinished: <b>{upload.name}</b>, {bytes(upload.size)}. Choose the same file to resume.
          </span>
          <Button
            onClick={() => {
              upload.discard();
              setUploads(unfinishedUploads());
            }}
          >
            Discard
          </Button>
        </li>
      ))}
    </ul>
  );
}

function FileDrop(props: { file: File | undefined; disabled: boolean; onFile: (file: File) => void }): JSX.Element {
  const { file, disabled, onFile } = props;
  const [over, setOver] = useState(false);
  const take = (picked: File | undefined): void => {
    if (picked !== undefined) onFile(picked);
  };
  return (
    <label
      className={classes(
        'flex flex-wrap items-center justify-center gap-x-4 gap-y-2 rounded-md border-2 border-dashed p-5',
        over ? 'border-accent' : 'border-line',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!disabled) take(event.dataTransfer?.files[0]);
      }}
    >
      <span className="text-muted">
        {file === undefined ? 'Drop a video here, or' : `${file.name}, ${bytes(file.size)}`}
      </span>
      <span className={FILE_BUTTON}>
        <Upload size={14} aria-hidden="true" />
        {file === undefined ? 'Choose a file' : 'Another file'}
      </span>
      <input
        className="sr-only"
        type="file"
        accept={ACCEPTED}
        disabled={disabled}
        onChange={(event) => take(event.currentTarget.files?.[0])}
      />
    </label>
  );
}

function Progress({ sent, size, waiting }: UploadProgress): JSX.Element {
  const [rate] = useState(() => new TransferRate());
  useEffect(() => rate.add(sent, performance.now()), [rate, sent]);
  const done = sent >= size;
  const speed = rate.bytesPerSecond;
  const parts = [
    `${Math.floor((100 * sent) / size)} %`,
    `${bytes(sent)} of ${bytes(size)}`,
    ...(speed === undefined ? [] : [`${bytes(speed)}/s`, `${duration((1_000 * (size - sent)) / speed)} left`]),
  ];
  return (
    <div className="mt-3.5 flex flex-col gap-1">
      <progress className="h-2.5 w-full" max={size} value={sent} aria-label="Upload" />
      <span className="text-sm text-muted" role="status">
        {waiting ? 'Connection lost. Retrying.' : done ? 'Uploaded. Finishing.' : parts.join(' · ')}
      </span>
    </div>
  );
}
