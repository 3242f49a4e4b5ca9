/**
 * Makes the judge for a specification. Tables, texts and rules are data that is evaluated with the numbers in force, so the
 * build replaces this module by one that holds all of them in a function (scripts/core-in-function.mjs): each call has numbers
 * of its own, and the process has none. Run from its sources, a process has one specification.
 */
import { type HouseSpec, houseSpec } from '../spec/house.js';
import * as core from './core.js';
import { AirlockError } from './error.js';

export type Core = typeof core;

/** The core for `house` over the published numbers; undefined: for the published ones. @throws AirlockError SPEC_OF_PROCESS */
export function instantiate(house: HouseSpec | undefined): Core {
  if (house?.name === houseSpec()?.name) return core;
  throw new AirlockError('SPEC_OF_PROCESS', 'the sources judge by one specification a process: use the built library');
}
