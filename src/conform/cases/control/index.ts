import type { Case } from '../../case.js';

export const CONTROL: readonly Case[] = [];
