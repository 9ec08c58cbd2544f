import { render } from 'preact';
import { browserClock, pageStorage, showTheme } from '../kit/index.js';
import { createChat } from './chat/chat.js';
import { watchConnection } from './chat/connection.js';
import { openDatabase } from './storage/database.js';
import { App } from './views/app.js';

/** Where the page opens itself again while the server is away. */
const WORKER = '/service-worker.js';

/** Draws the page into `place`, and begins to watch the server. */
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
  // At once, so that nothing is painted in the other appearance.
  updateTheme();
  chat.subscribe(updateTheme);
  const connection = watchConnection(chat, clock);
  checkServer = () => connection.check();
  render(<App chat={chat} connection={connection} clock={clock} />, place);
  // Only pages over HTTPS and of this machine have one. Without it the page works, but does not open while the server is away.
  navigator.serviceWorker?.register(WORKER).catch(() => {});
}
