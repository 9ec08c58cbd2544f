import { render } from 'preact';
import { browserClock, pageStorage, showTheme } from '../kit/index.js';
import { createChat } from './chat/chat.js';
import { watchConnection } from './chat/connection.js';
import { openDatabase } from './storage/database.js';
import { App } from './views/app.js';

/** The service worker, which opens the page while the server does not answer. */
const WORKER = '/service-worker.js';

/** Draws the page into `place` and starts to watch the server. */
export function openPage(place: Element): void {
  const clock = browserClock;
  let checkServer = async (): Promise<void> => {};
  const chat = createChat({
    clock,
    storage: () => openDatabase(),
    preferences: pageStorage(),
    checkServer: () => checkServer(),
  });
  const updateTheme = (): void => showTheme(chat.get().theme);
  // Runs at once, before anything is painted in the wrong theme.
  updateTheme();
  chat.subscribe(updateTheme);
  const connection = watchConnection(chat, clock);
  checkServer = () => connection.check();
  render(<App chat={chat} connection={connection} clock={clock} />, place);
  // Only pages over HTTPS and from this machine have service workers. Without one, the page cannot open offline.
  navigator.serviceWorker?.register(WORKER).catch(() => {});
}
