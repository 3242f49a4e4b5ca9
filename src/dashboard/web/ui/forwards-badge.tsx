/** How many forwards of a broadcast send and fail. The page of the broadcast says which. */
import type { JSX } from 'react';
import { type ForwardCounts, forwardsSentence } from '../../../spec/forward-sentence.js';
import { Badge } from './callout.js';

export function ForwardsBadge({ forwards }: { forwards: ForwardCounts | undefined }): JSX.Element | null {
  if (forwards === undefined) return null;
  return <Badge tone={forwards.failing > 0 ? 'warn' : 'quiet'}>{forwardsSentence(forwards)}</Badge>;
}
