import type { Notice } from '../../convert/index.js';
import type { PullEstimate } from './estimate.js';

/** An event of a pull. */
export type PullEvent =
  /** The plan, before any download. */
  | {
      readonly kind: 'plan';
      readonly repo: string;
      /** The commit. */
      readonly revision: string;
      readonly quant: string | undefined;
      readonly estimate: PullEstimate;
    }
  /** Received bytes of all files together, and of the current file. */
  | {
      readonly kind: 'download';
      readonly file: string;
      /** `sha256:` or `git:`, and the hash of the file. */
      readonly digest: string;
      readonly fileDoneBytes: number;
      readonly fileBytes: number;
      readonly doneBytes: number;
      readonly totalBytes: number;
    }
  /** Written bytes of packed weights. `isBeside`: downloads still run. */
  | { readonly kind: 'convert'; readonly doneBytes: number; readonly totalBytes: number; readonly isBeside: boolean }
  /** A request is tried again. `file` is undefined for one of the hub's API. */
  | {
      readonly kind: 'retry';
      readonly file: string | undefined;
      readonly reason: string;
      readonly attempt: number;
      readonly waitMs: number;
    }
  | { readonly kind: 'note'; readonly text: string }
  /** A notice on the model for the user. */
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** Another process is pulling the same model: its number, where it is known. */
  | { readonly kind: 'wait'; readonly pid: number | undefined };

/** Called with each event; it must not throw. */
export type OnPullEvent = (event: PullEvent) => void;
