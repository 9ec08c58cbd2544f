import { useEffect, useRef, useState } from 'preact/hooks';
import { followEvents, type ApiFailure } from '../../data/index.js';
import { useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { streams } from '../api/admin-api.js';
import type { Finding, Scan, ScanEvent } from '../api/runtime-answers.js';

/** The current state of a scan. */
export interface ScanView {
  readonly scan: Scan | undefined;
  readonly findings: readonly Finding[];
  readonly failure: ApiFailure | undefined;
}

const NOTHING: ScanView = { scan: undefined, findings: [], failure: undefined };

/** Follows a scan from its beginning, even after its end. A changed `turn` follows it anew. */
export function useScan(id: string | undefined, turn: number): ScanView {
  const { client } = useAdmin();
  const { clock } = useKit();
  const [view, setView] = useState(NOTHING);
  // Thousands of findings may arrive at once, so the view draws them once a frame.
  const latest = useRef<{ scan: Scan | undefined; findings: Finding[] }>({ scan: undefined, findings: [] });
  const isWaiting = useRef(false);
  useEffect(() => {
    if (id === undefined) {
      setView(NOTHING);
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const draw = (): void => {
      if (isWaiting.current) return;
      isWaiting.current = true;
      clock.onFrame(() => {
        isWaiting.current = false;
        const { scan, findings } = latest.current;
        if (!signal.aborted) setView({ scan, findings: [...findings], failure: undefined });
      });
    };
    void followEvents({
      client,
      path: streams.scan(id),
      clock,
      signal,
      onState(state, failure) {
        // Each stream begins with all earlier findings.
        if (state === 'connecting') latest.current = { scan: latest.current.scan, findings: [] };
        if (failure !== undefined) setView((before) => ({ ...before, failure }));
      },
      onEvent(given) {
        const event = given as ScanEvent;
        if (event.type === 'finding') latest.current.findings.push(event.finding);
        else latest.current.scan = event.scan;
        draw();
        return event.type === 'end';
      },
    });
    return () => controller.abort();
  }, [id, turn]);
  const isOther = view.scan !== undefined && view.scan.id !== id;
  return isOther ? NOTHING : view;
}
