/** Whether output has colors: FORCE_COLOR, then NO_COLOR (https://no-color.org), then whether it goes to a terminal. */

export function hasColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: forced = '', NO_COLOR: refused = '', TERM: terminal } = env;
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && refused === '' && terminal !== 'dumb';
}
