import type { Clock } from '../../base/index.js';
import { CallTable } from '../call/calls.js';
import type { Ended, Link } from '../link.js';
import { placements } from '../placements/index.js';
import { crashOf } from './child-errors.js';
import type { ChildSpec } from './spec.js';

const DEFAULT_MAILBOX = 1_024;
/** Deadline of a call whose spec and caller bring none, in milliseconds. */
export const DEFAULT_CALL_DEADLINE_MS = 30_000;

/** One instance of an actor, from its start to its end. */
export interface Life {
  readonly link: Link;
  readonly calls: CallTable;
  /** Settles when the instance ended without being asked to. */
  readonly ended: Promise<Ended>;
  end(ended: Ended): void;
}

/** Opens the place of an instance; `wrap` is put around what its calls go through. */
export function openLife(spec: ChildSpec, clock: Clock, wrap: (link: Link) => Link): Life {
  const { id, placement, heapMb, mailbox = DEFAULT_MAILBOX, callDeadlineMs = DEFAULT_CALL_DEADLINE_MS } = spec;
  let end: (ended: Ended) => void = () => {};
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  const link = placements[placement].open({ id, heapMb }, (news) => end(news));
  const calls = new CallTable({
    id,
    link: wrap(link),
    mailbox,
    callDeadlineMs,
    clock,
    onCrash: (failure) => end(crashOf(failure)),
  });
  return { link, calls, ended, end };
}
