/**
 * What the pages need of the error catalogue. The build runs this module and bundles its value (vite.config.ts): the checks
 * of the rules are never run in a browser.
 */
import { CATALOGUE } from '../../../rules/registry/catalogue.js';

export const FAULTS = CATALOGUE.map(({ code, type, title, clears }) => ({
  code,
  type,
  title,
  /** Over when it is raised. */
  isPoint: clears.how === 'point',
}));
