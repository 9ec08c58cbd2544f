import type { Chat } from '../chat/chat.js';
import type { ChatState } from '../chat/state.js';
import type { PageClock } from '../../data/index.js';

/** The properties that most views share: the actions, and the state. */
export interface ViewProps {
  readonly chat: Chat;
  readonly state: ChatState;
}

/** The properties of views with timers. */
export interface TimedViewProps extends ViewProps {
  readonly clock: PageClock;
}
