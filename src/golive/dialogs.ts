/** Texts of OBS's dialogs, as the HTML that Qt shows. Everything from users is escaped; a dialog has at most this many items. */
import { escapeHtml } from '../lib/html.js';
import { sentencesWithin } from '../lib/text.js';

/** Six items of two lines fit a screen of 720 lines. */
const MAX_ITEMS = 6;
const MAX_ITEM_BYTES = 300;

/** Undefined when there is nothing to tell. OBS appends "Do you want to continue streaming?". */
export function warningText(advice: readonly string[], lastFindings: readonly string[]): string | undefined {
  const parts = [
    ...section('This server sets the encoder up, but OBS takes these settings from you:', advice),
    ...section('The last broadcast had these faults:', lastFindings),
  ];
  return parts.length === 0 ? undefined : parts.join('');
}

/** `reason`: what the encoder of a refused publish is sent too. */
export function refusalText(reason: string): string {
  return `<p>${escapeHtml(sentencesWithin(reason, MAX_ITEM_BYTES))}</p>`;
}

function section(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => `<li>${escapeHtml(sentencesWithin(item, MAX_ITEM_BYTES))}</li>`);
  return [`<p>${title}</p><ul>${shown.join('')}</ul>`];
}
