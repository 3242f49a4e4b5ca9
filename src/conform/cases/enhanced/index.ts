import type { Case } from '../../case.js';

export const ENHANCED: readonly Case[] = [];
