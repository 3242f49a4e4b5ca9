/** Takes a file and shows why it was refused. */
import { Upload } from 'lucide-react';
import { type JSX, useState } from 'react';
import { Fault } from '../../ui/callout.js';
import { FILE_BUTTON } from '../../ui/classes.js';
import { messageOf } from '../client/api.js';

export function FilePick(props: {
  label: string;
  accept: string;
  hint: string;
  take: (file: File) => Promise<void>;
}): JSX.Element {
  const [fault, setFault] = useState('');
  const onChange = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file === undefined) return;
    setFault('');
    try {
      await props.take(file);
    } catch (error) {
      setFault(messageOf(error));
    }
    input.value = '';
  };
  return (
    <>
      <label className="flex flex-col items-start gap-1.5 text-sm">
        <span className={FILE_BUTTON}>
          <Upload size={14} aria-hidden="true" />
          {props.label}
        </span>{' '}
        {props.hint === '' ? null : <small>{props.hint}</small>}
        <input
          className="peer sr-only"
          type="file"
          accept={props.accept}
          onChange={(event) => void onChange(event.currentTarget)}
        />
      </label>
      {fault === '' ? null : <Fault message={fault} />}
    </>
  );
}
