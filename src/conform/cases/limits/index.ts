import type { Case } from '../../case.js';

export const LIMITS: readonly Case[] = [];
