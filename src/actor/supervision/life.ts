import type { Clock } from '../../base/index.js';
import { CallTable } from '../call/calls.js';
import type { InstanceEnd, Link } from '../link.js';
import { placements } from '../placements/index.js';
import { crashOf } from './child-errors.js';
import type { ChildSpec } from './spec.js';

const DEFAULT_MAILBOX = 1_024;
/** Deadline of a call without one in its spec or options, in milliseconds. */
export const DEFAULT_CALL_DEADLINE_MS = 30_000;

/** One instance of an actor, from its start to its end. */
export interface Life {
  readonly link: Link;
  readonly calls: CallTable;
  /** Settles when the instance ended by itself. */
  readonly ended: Promise<InstanceEnd>;
  end(ended: InstanceEnd): void;
}

/** Opens an instance at its placement; `wrap` wraps its link. */
export function openLife(spec: ChildSpec, clock: Clock, wrap: (link: Link) => Link): Life {
  const { id, placement, heapMb, mailbox = DEFAULT_MAILBOX, callDeadlineMs = DEFAULT_CALL_DEADLINE_MS } = spec;
  let end: (ended: InstanceEnd) => void = () => {};
  const ended = new Promise<InstanceEnd>((resolve) => {
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
