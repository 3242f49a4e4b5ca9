/**
 * The part of the error catalogue that the pages need. The build evaluates this module and bundles its value
 * (vite.config.ts), so that the checks of the rules are not shipped to browsers.
 */
import { CATALOGUE } from '../../../rules/registry/catalogue.js';

export const FAULTS = CATALOGUE.map(({ code, type, title, passes, row, clears }) => ({
  code,
  type,
  title,
  /** The check, named for the good case. */
  passes,
  /** Row of the specification on the page; absent for faults of uploads. */
  row,
  /** Cleared at the moment it is raised. */
  isPoint: clears.how === 'point',
}));
