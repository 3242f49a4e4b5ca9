/** The format of PHP's `date`, in UTC. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
/** A longer one is cut: a format is at most a few words. */
const FORMAT_MAX = 100;

const two = (value: number): string => String(value).padStart(2, '0');
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const dayName = (date: Date): string => DAYS[date.getUTCDay()] ?? '';
const monthName = (date: Date): string => MONTHS[date.getUTCMonth()] ?? '';

const PARTS: Readonly<Record<string, (date: Date) => string>> = {
  d: (date) => two(date.getUTCDate()),
  j: (date) => String(date.getUTCDate()),
  D: (date) => dayName(date).slice(0, 3),
  l: dayName,
  N: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  m: (date) => two(date.getUTCMonth() + 1),
  n: (date) => String(date.getUTCMonth() + 1),
  M: (date) => monthName(date).slice(0, 3),
  F: monthName,
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => two(date.getUTCFullYear() % 100),
  H: (date) => two(date.getUTCHours()),
  G: (date) => String(date.getUTCHours()),
  h: (date) => two(hour12(date)),
  g: (date) => String(hour12(date)),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  i: (date) => two(date.getUTCMinutes()),
  s: (date) => two(date.getUTCSeconds()),
  v: (date) => String(date.getUTCMilliseconds()).padStart(3, '0'),
  u: (date) => `${String(date.getUTCMilliseconds()).padStart(3, '0')}000`,
  e: () => 'UTC',
  T: () => 'UTC',
  O: () => '+0000',
  P: () => '+00:00',
  Z: () => '0',
  I: () => '0',
  U: (date) => String(Math.floor(date.getTime() / 1000)),
  c: (date) => `${date.toISOString().slice(0, 19)}+00:00`,
  r: (date) => formatted(date, 'D, d M Y H:i:s O'),
};

/** A backslash keeps the next character. `U` alone gives a number. */
export function formatDate(ms: number, format: string): string | number {
  const date = new Date(ms);
  return format === 'U' ? Math.floor(ms / 1000) : formatted(date, format.slice(0, FORMAT_MAX));
}

function formatted(date: Date, format: string): string {
  return format.replace(/\\(.)|[A-Za-z]/gs, (part, kept: string | undefined) => kept ?? PARTS[part]?.(date) ?? part);
}
