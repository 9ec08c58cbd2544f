import type { RefObject, VNode } from 'preact';
import { AppearanceButton, Icon, useIsDark } from '../../kit/index.js';
import type { ViewProps } from './view-props.js';

/** The choice of the model, and the button of the settings. */
export function Header(
  props: ViewProps & {
    readonly isDrawer: boolean;
    readonly isSidebarOpen: boolean;
    /** The button that opens the list; the focus returns to it. */
    readonly menu: RefObject<HTMLButtonElement | null>;
    readonly onSidebar: () => void;
    readonly onSettings: () => void;
  },
): VNode {
  const { chat, state, isDrawer, isSidebarOpen, menu, onSidebar, onSettings } = props;
  const chosen = chat.model();
  const isDark = useIsDark(state.theme);
  return (
    <header class="header">
      {isDrawer && (
        <button
          ref={menu}
          type="button"
          class="tool"
          aria-label="Conversations"
          aria-expanded={isSidebarOpen}
          aria-controls="conversations"
          onClick={onSidebar}
        >
          <Icon name="menu" />
        </button>
      )}
      <select
        class="model"
        aria-label="Model"
        value={chosen}
        disabled={state.models.length === 0}
        onChange={(event) => chat.changeSettings({ model: event.currentTarget.value })}
      >
        {state.models.length === 0 && <option value={chosen}>{chosen === '' ? 'No model' : chosen}</option>}
        {state.models.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <span class="header-space" />
      {isDrawer && (
        <button
          type="button"
          class="tool"
          aria-label="New conversation"
          title="New conversation"
          onClick={chat.startNew}
        >
          <Icon name="plus" />
        </button>
      )}
      <AppearanceButton isDark={isDark} onChange={chat.setTheme} />
      <button type="button" class="tool" aria-label="Settings" title="Settings" onClick={onSettings}>
        <Icon name="settings" />
      </button>
    </header>
  );
}
