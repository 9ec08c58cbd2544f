import type { LoadProgress, OnProgress } from '../artifact/index.js';
import type { Notice, OnNotice } from './notice.js';

/** Who is told, and when: nothing is said of a file before it is known that it can be converted. */
export interface HeldReports {
  readonly onProgress: OnProgress;
  /** Tells the notices, then how far each phase has come, and from now on as it comes. */
  release(notices: readonly Notice[]): void;
  /** The phase `convert` may be told, whose work began beside that of `hash`. */
  releaseConversion(): void;
}

/** Holds progress back until `release`, and that of conversion until `releaseConversion` too. */
export function holdReports(onProgress: OnProgress | undefined, onNotice: OnNotice | undefined): HeldReports {
  const held = new Map<LoadProgress['phase'], LoadProgress>();
  let isReleased = false;
  let isHashed = false;
  const isHeld = (phase: LoadProgress['phase']): boolean => !isReleased || (phase === 'convert' && !isHashed);
  const tellHeld = (): void => {
    for (const [phase, progress] of held) {
      if (isHeld(phase)) continue;
      held.delete(phase);
      // Of a small file that was all, and whoever listens shall hear of its beginning too.
      if (progress.doneBytes > 0) onProgress?.({ ...progress, doneBytes: 0 });
      onProgress?.(progress);
    }
  };
  return {
    onProgress(progress) {
      if (isHeld(progress.phase)) held.set(progress.phase, progress);
      else onProgress?.(progress);
    },
    release(notices) {
      for (const notice of notices) onNotice?.(notice);
      isReleased = true;
      tellHeld();
    },
    releaseConversion() {
      isHashed = true;
      tellHeld();
    },
  };
}
