import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Formats, PageClock, ServerWatch } from '../../data/index.js';
import type { Router } from './router.js';

/** The parts of a page that views need. */
export interface Kit {
  readonly clock: PageClock;
  readonly formats: Formats;
  readonly router: Router;
  /** Shows a short message in a corner that disappears by itself. */
  readonly notify: (text: string) => void;
  /** Whether the server of the page answers. */
  readonly serverWatch: ServerWatch;
}

const KitContext = createContext<Kit | undefined>(undefined);

/** Provides the kit to all views within. */
export const KitProvider = KitContext.Provider;

/** The kit of the page. Errors: a view outside of `KitProvider`. */
export function useKit(): Kit {
  const kit = useContext(KitContext);
  if (kit === undefined) throw new Error('this view is outside of KitProvider');
  return kit;
}
