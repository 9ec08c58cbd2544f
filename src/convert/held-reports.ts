import type { LoadProgress, OnProgress } from '../artifact/index.js';
import type { Notice, OnNotice } from './notice.js';

/** Who is told, and when: nothing is said of a file before it is known that it can be converted. */
export interface HeldReports {
  readonly onProgress: OnProgress;
  /** Tells the notices, then how far each phase has come, and from now on as it comes. */
  release(notices: readonly Notice[]): void;
}

/** Holds progress back until `release`. */
export function holdReports(onProgress: OnProgress | undefined, onNotice: OnNotice | undefined): HeldReports {
  const held = new Map<LoadProgress['phase'], LoadProgress>();
  let isReleased = false;
  return {
    onProgress(progress) {
      if (isReleased) onProgress?.(progress);
      else held.set(progress.phase, progress);
    },
    release(notices) {
      for (const notice of notices) onNotice?.(notice);
      isReleased = true;
      for (const progress of held.values()) {
        // Of a small file that was all, and whoever listens shall hear of its beginning too.
        if (progress.doneBytes > 0) onProgress?.({ ...progress, doneBytes: 0 });
        onProgress?.(progress);
      }
    },
  };
}
