import { hints } from '../../hints.js';
import type { Check, CheckGroup } from '../check.js';

const OURS = ['TROUPE_MODELS', 'TROUPE_CACHE', 'TROUPE_HOST', 'TROUPE_TRUSTED_KEYS'];

/** Variables of the environment: ours, and those of other engines that have no effect. */
export const environment: CheckGroup = {
  section: 'Environment',
  async look({ env }) {
    const ours = OURS.filter((name) => env[name]).map((name): Check => ({ name, state: 'ok', text: 'is set' }));
    const foreign = hints('doctor', [], env).map((text): Check => ({ name: 'foreign', state: 'note', text }));
    if (ours.length + foreign.length === 0) return [{ name: 'variables', state: 'ok', text: 'none of ours is set' }];
    return [...ours, ...foreign];
  },
};
