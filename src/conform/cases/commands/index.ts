import type { Case } from '../../case.js';

export const COMMANDS: readonly Case[] = [];
