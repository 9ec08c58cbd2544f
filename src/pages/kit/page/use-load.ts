import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ApiAnswer, ApiFailure, LoadCall, PagedRows, RowPage, RowsState } from '../../data/index.js';
import { createPagedRows } from '../../data/index.js';
import { useKit } from './kit.js';
import { useStore } from './use-store.js';

/** A loaded value. It stays during a reload and after a failed reload. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly etag: string | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
  /** Loads it again. */
  reload(): void;
  /** Replaces the value by one from another answer. */
  put(value: T, etag?: string): void;
}

interface State<T> {
  readonly value?: T;
  readonly etag?: string | undefined;
  readonly failure?: ApiFailure;
  readonly isLoading: boolean;
}

/** Loads a value at once, after each change of `deps`, and every `everyMs` while the page is visible. */
export function useLoad<T>(
  load: (call: LoadCall) => Promise<ApiAnswer<T>>,
  deps: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const { clock } = useKit();
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // After a change of `deps`, the previous value belongs to something else.
  const key = useRef(deps);
  const isOther = key.current.length !== deps.length || key.current.some((dep, i) => dep !== deps[i]);
  key.current = deps;
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useWhenBack(isMissing(state.failure), reload);
  useEffect(() => {
    const controller = new AbortController();
    let cancel = (): void => {};
    const run = async (isBackground: boolean): Promise<void> => {
      const answer = await latest.current({ signal: controller.signal, isBackground });
      if (controller.signal.aborted) return;
      setState((before) =>
        answer.ok
          ? { value: answer.value, etag: answer.etag, isLoading: false }
          : { ...before, failure: answer.failure, isLoading: false },
      );
      again();
    };
    const again = (): void => {
      if (everyMs === undefined) return;
      cancel = clock.after(everyMs, () => (document.hidden ? again() : void run(true)));
    };
    setState((before) => (isOther ? { isLoading: true } : { ...before, isLoading: true }));
    void run(false);
    return () => {
      cancel();
      controller.abort();
    };
  }, [...deps, turn, everyMs]);
  const shown: State<T> = isOther ? { isLoading: true } : state;
  return {
    value: shown.value,
    etag: shown.etag,
    failure: shown.failure,
    isLoading: shown.isLoading,
    reload,
    put: (value, etag) => setState({ value, etag, isLoading: false }),
  };
}

/** A list that loads page by page, and starts again after each change of `deps`. */
export function useRows<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ApiAnswer<RowPage<T>>>,
  deps: readonly unknown[],
): readonly [RowsState<T>, PagedRows<T>] {
  const latest = useRef(load);
  latest.current = load;
  const [rows] = useState(() => createPagedRows<T>((cursor, signal) => latest.current(cursor, signal)));
  const state = useStore(rows);
  useEffect(() => void rows.reload(), deps);
  useWhenBack(state.phase === 'failed' && isMissing(state.failure), () => void rows.reload());
  useEffect(() => rows.stop, []);
  return [state, rows];
}

/** Whether the server did not answer. */
function isMissing(failure: ApiFailure | undefined): boolean {
  return failure?.status === 0;
}

/** Loads missing data as soon as an unreachable server answers again. */
function useWhenBack(isWanted: boolean, load: () => void): void {
  const { serverWatch } = useKit();
  const latest = useRef({ isWanted, load });
  latest.current = { isWanted, load };
  useEffect(() => {
    let wasGone = serverWatch.state.get().isGone;
    return serverWatch.state.subscribe(() => {
      const { isGone } = serverWatch.state.get();
      if (wasGone && !isGone && latest.current.isWanted) latest.current.load();
      wasGone = isGone;
    });
  }, [serverWatch]);
}
