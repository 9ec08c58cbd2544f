import type { LoadProgress, OnProgress } from '../artifact/index.js';
import type { Notice, OnNotice } from './notice.js';

/** Reports that wait until it is known that the file can be converted. */
export interface HeldReports {
  readonly onProgress: OnProgress;
  /** Passes on the notices, then the progress of each phase, and from now on each report at once. */
  release(notices: readonly Notice[]): void;
  /** Passes on the phase `convert`, whose work began beside that of `hash`. */
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
      // A small file has only this report, and listeners also need the beginning.
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
