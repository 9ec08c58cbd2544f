import type { Terminal } from '../../../cli/index.js';
import type { Directories } from '../options/directories.js';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `note`: it works, and could be better. `problem`: something will fail. */
  readonly state: 'ok' | 'note' | 'problem';
  /** What was found, in a line. */
  readonly text: string;
  /** What to do about it, in a line. */
  readonly advice?: string;
}

/** What checks look with. */
export interface CheckContext {
  readonly env: Terminal['env'];
  readonly directories: Directories;
  /** Nothing is measured that takes longer than a moment. */
  readonly isQuick: boolean;
  readonly signal: AbortSignal;
}

/** A group of checks: looks at one part of the machine. It finds what it finds, and does not throw for what is not there. */
export interface CheckGroup {
  /** The heading. */
  readonly section: string;
  look(context: CheckContext): Promise<readonly Check[]>;
}
