import { useEffect, useState } from 'preact/hooks';
import { fieldsOf, followEvents, type ApiFailure, type LiveState } from '../../data/index.js';
import { useKit, useStore } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { streams } from '../api/admin-api.js';
import type { Overview } from '../api/metrics-answers.js';

/** The current overview. */
export interface LiveOverview {
  readonly overview: Overview | undefined;
  readonly state: LiveState | 'paused';
  readonly failure: ApiFailure | undefined;
}

/** Follows the live stream while the page is visible and not paused. */
export function useOverview(isPaused: boolean, turn: number): LiveOverview {
  const { client } = useAdmin();
  const { clock, serverWatch } = useKit();
  // Follows a gateway that answers again at once, without the retry pause of a stream.
  const { isGone } = useStore(serverWatch.state);
  const [live, setLive] = useState<LiveOverview>({ overview: undefined, state: 'connecting', failure: undefined });
  const isSeen = useSeen();
  useEffect(() => {
    if (isPaused || !isSeen) {
      setLive((before) => ({ ...before, state: 'paused' }));
      return undefined;
    }
    const controller = new AbortController();
    void followEvents({
      client,
      path: streams.overview,
      clock,
      signal: controller.signal,
      onState: (state, failure) => setLive((before) => ({ ...before, state, failure })),
      onEvent: (event) => setLive({ overview: readOverview(event), state: 'live', failure: undefined }),
    });
    return () => controller.abort();
  }, [isPaused, isSeen, turn, isGone]);
  return live;
}

function readOverview(event: unknown): Overview | undefined {
  return fieldsOf(event)['overview'] as Overview | undefined;
}

/** Whether the page is visible. */
function useSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
}
