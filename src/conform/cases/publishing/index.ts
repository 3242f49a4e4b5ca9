import type { Case } from '../../case.js';

export const PUBLISHING: readonly Case[] = [];
