/** Joins class names; what is falsy is left out. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

const BUTTON =
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-3.5 py-1.5 text-sm leading-5 no-underline disabled:cursor-progress disabled:opacity-60 aria-disabled:cursor-progress aria-disabled:opacity-60 aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-card';

export type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  plain: 'border-line bg-card text-ink hover:border-muted',
  main: 'border-accent bg-accent font-semibold text-on-accent hover:brightness-110',
  danger: 'border-fail bg-card text-fail hover:bg-fail-soft',
  quiet: 'border-transparent bg-transparent text-ink hover:bg-ground',
};

/** For buttons, and for links that look like one. */
export function buttonClass(kind: ButtonKind = 'plain'): string {
  return `${BUTTON} ${KINDS[kind]}`;
}

export const FIELD = 'rounded-md border border-line bg-card px-2.5 py-1.5 text-base font-normal text-ink';
/** In the label of an input that takes a file and is hidden: it shows the focus of that input. */
export const FILE_BUTTON = `${BUTTON} ${KINDS.plain} [label:has(input:focus-visible)>&]:outline-2 [label:has(input:focus-visible)>&]:outline-offset-2 [label:has(input:focus-visible)>&]:outline-accent [label:has(input:disabled)>&]:opacity-60`;
export const MENU_ITEM =
  'block cursor-default rounded-sm px-2.5 py-1.5 text-ink outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-ground data-[highlighted]:underline';
export const LABEL = 'flex flex-col gap-1 text-sm font-semibold';
export const MUTED = 'text-sm text-muted';
export const CARD = 'mb-4 rounded-lg border border-line bg-card px-5 py-4';
export const LINK = 'text-accent underline underline-offset-2';
/** A picture of 16:9. */
export const SCREEN =
  'relative grid aspect-video max-h-[60vh] w-full place-items-center overflow-hidden rounded-lg bg-black';
export const FILLS_SCREEN = 'absolute inset-0 size-full object-contain';
