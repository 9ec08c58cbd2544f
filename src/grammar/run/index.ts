export { GrammarWalk, WalkState } from './grammar-walk.js';
export { DEAD, ParseTable } from './parse-table.js';
export { ROOT } from './stack-table.js';
export { tooSlow, WorkMeter } from './work-meter.js';
