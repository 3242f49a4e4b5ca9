/** The title of a video in a form. */
import type { JSX } from 'react';
import { FIELD, LABEL } from '../../ui/classes.js';

/** Longest title that the interface accepts. */
const TITLE_MAX = 254;

export function TitleField(props: {
  value: string;
  disabled?: boolean;
  onChange: (title: string) => void;
}): JSX.Element {
  return (
    <label className={LABEL}>
      Title
      <input
        className={FIELD}
        dir="auto"
        value={props.value}
        maxLength={TITLE_MAX}
        required
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  );
}
