import type { Notice } from '../convert/index.js';
import type { PullEstimate } from './estimate.js';

/** What happens to a pull. */
export type PullEvent =
  /** What it is going to be, before anything is downloaded. */
  | {
      readonly kind: 'plan';
      readonly repo: string;
      /** The commit. */
      readonly revision: string;
      readonly quant: string | undefined;
      readonly estimate: PullEstimate;
    }
  /** Bytes of all files together that are there, and those of the file that comes now. */
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
  /** Bytes of packed weights that are written. `isBeside`: files still come. */
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
  /** What the user should know of the model. */
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** Another process is pulling the same model: its number, where it is known. */
  | { readonly kind: 'wait'; readonly pid: number | undefined };

/** Told of what happens; it must not throw. */
export type OnPullEvent = (event: PullEvent) => void;
