import { bash } from './bash.js';
import { fish } from './fish.js';
import type { ShellScript } from './shell-script.js';
import { zsh } from './zsh.js';

/** Shells whose completion can be printed. */
export const shells = { bash, zsh, fish } as const satisfies Record<string, ShellScript>;
